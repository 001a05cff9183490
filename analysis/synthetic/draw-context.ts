import type { Cause, SeriesEvent } from './event.ts';
import type { Span } from './instants.ts';
import type { Random } from './random.ts';
import type { Schedule } from './schedule.ts';
import type { Scope } from './scope.ts';
import type { SeriesModel } from './series-model.ts';

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
