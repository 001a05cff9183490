import type { Incident } from '#contract/incident.ts';
import type { Marker } from '#contract/marker.ts';
import type { Annotation } from './annotations.ts';

/** A marker, or a change that was found; `n` is its number on the charts. Instants in ms. */
export type Mark = { n: number; at: number } & (
  | { kind: 'marker'; marker: Marker }
  | { kind: 'change'; incident: Incident }
);

/** More flags than this hide the lines. */
export const MAX_MARKS = 20;

/**
 * Markers and changes in the order of time, numbered; of too many those that lasted into a range from before `from` (ms),
 * and the latest.
 */
export function numberedMarks(markers: Marker[], incidents: Incident[], from: number): Mark[] {
  const all = [
    ...markers.map((marker) => ({ kind: 'marker' as const, at: Date.parse(marker.at), marker })),
    ...incidents.map((incident) => ({ kind: 'change' as const, at: Date.parse(incident.onsetAt), incident })),
  ];
  const rank = ({ at }: { at: number }) => (at < from ? Number.MAX_VALUE : at);
  const shown = all.toSorted((a, b) => rank(b) - rank(a)).slice(0, MAX_MARKS);
  return shown.toSorted((a, b) => a.at - b.at).map((mark, index) => ({ ...mark, n: index + 1 }));
}

/** The colour of what happened: a marker, or an incident by its kind. */
export function kindToken(kind: string): '--accent' | '--good' | '--bad' | '--warn' {
  if (kind === 'marker') return '--accent';
  if (kind === 'improvement') return '--good';
  return kind === 'regression' ? '--bad' : '--warn';
}

/**
 * How marks stand on a chart of `from` to `to` (ms): markers dashed, lasting changes as a line, spikes as the time that they
 * lasted. What began before has its number at the beginning.
 */
export function markAnnotations(marks: Mark[], { from, to }: { from: number; to: number }): Annotation[] {
  return marks.map((mark): Annotation => {
    const label = String(mark.n);
    if (mark.kind === 'marker') return { kind: 'line', at: mark.at, label, token: kindToken('marker'), dashed: true };
    const { kind, overAt, resolvedAt } = mark.incident;
    const token = kindToken(kind);
    if (kind === 'regression' || kind === 'improvement') return { kind: 'line', at: mark.at, label, token };
    const end = overAt ?? resolvedAt;
    return { kind: 'span', from: Math.max(mark.at, from), to: end === null ? to : Date.parse(end), label, token };
  });
}

/** The background of a mark's flag in the list that explains it: the colour that it has on the chart. */
export function markBackground(mark: Mark): string {
  return BACKGROUNDS[kindToken(mark.kind === 'marker' ? 'marker' : mark.incident.kind)];
}

const BACKGROUNDS: Record<ReturnType<typeof kindToken>, string> = {
  '--accent': 'bg-accent',
  '--good': 'bg-good',
  '--bad': 'bg-bad',
  '--warn': 'bg-warn',
};
