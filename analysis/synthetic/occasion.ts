import type { Agenda } from './agenda.ts';
import type { Dice } from './dice.ts';
import type { Cause, LineEvent } from './event.ts';
import type { LineModel } from './line.ts';
import type { Scope } from './scope.ts';
import type { Span } from './span.ts';

/** What a happening is drawn from: `touched` are indices into `lines`. */
export type Occasion = {
  scope: Scope;
  cause: Cause;
  touched: readonly number[];
  lines: readonly LineModel[];
  span: Span;
  agenda: Agenda;
  dice: Dice;
};

/** One happening: an event on each line that it touches. */
export type Drawn = { line: number; event: LineEvent }[];

/** Unique in a world: no two happenings of one scope begin in the same second on the same line. */
export function incidentName(kind: string, { scope, touched, lines }: Occasion, start: number): string {
  const first = lines[touched[0] ?? 0];
  return `${kind}-${scope}-${first?.target.name}-${first?.province}-${first?.carrier}-${start}`;
}
