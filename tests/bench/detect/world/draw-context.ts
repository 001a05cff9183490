import type { Cause, Effect, SeriesEvent } from '#analysis/synthetic/event.ts';
import type { SeriesModel } from '#analysis/synthetic/series-model.ts';
import type { Random } from './random.ts';
import type { Schedule } from './schedule.ts';
import type { Scope } from './scope.ts';

/** From the first to after the last instant, epoch seconds; nothing is judged before `warmUpEnd`. */
export type Span = { from: number; warmUpEnd: number; to: number };

/** What a happening is drawn from: `touched` are indexes into `models`. */
export type DrawContext = {
  scope: Scope;
  cause: Cause;
  touched: readonly number[];
  models: readonly SeriesModel[];
  span: Span;
  schedule: Schedule;
  random: Random;
};

/** One happening: an event on each series that it touches. */
export type Drawn = { index: number; event: SeriesEvent }[];

/** Unique in a world: no two happenings of one scope begin in the same second on the same series. */
export function incidentName(kind: string, { scope, touched, models }: DrawContext, start: number): string {
  const first = models[touched[0] ?? 0];
  return `${kind}-${scope}-${first?.target.name}-${first?.region}-${first?.carrier}-${start}`;
}

/**
 * The cause by which an effect is judged: work of a server that no first byte shows is of the handshake alone, such as a longer key
 * or a wait for a staple, and so of its structure.
 */
export function judgedCause(cause: Cause, { firstByteMs = 0 }: Effect): Cause {
  return cause === 'server' && firstByteMs === 0 ? 'tls' : cause;
}
