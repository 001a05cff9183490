import type { Incident } from '#contract/incident.ts';
import { byUrgency, type Described, isHeld, type Look, needsLook, type Urgency } from '#contract/incident-parts.ts';
import { extentText } from '#i18n/incident.ts';
import type { Ui } from '#i18n/ui.ts';

/** What is wrong, in one line: an incident, or several of the same kind, cause and place; the most urgent first. */
export type Problem = { incidents: readonly [Incident, ...Incident[]]; look: boolean };

/** Names of so many targets are told; of more, their number. */
const MAX_NAMES = 3;

/** Incidents that go on by what they have in common, the most urgent first. `now` in ms. */
export function problemsOf(ui: Ui, incidents: readonly Incident[], now: number): Problem[] {
  const sorted = incidents.toSorted((a, b) => byUrgency(urgencyOf(a), urgencyOf(b)));
  const groups = Map.groupBy(sorted, (incident) => {
    const { kind, metric, cause, subCause, status, standingSince, affected } = incident;
    const life = [status, standingSince !== null, incident.quietSince !== null, isHeld(incident, now)];
    return JSON.stringify([kind, metric, cause, subCause, life, extentText(ui, affected)]);
  });
  return [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ incidents: [first, ...others] as const, look: needsLook(urgencyOf(first), now) }] : [],
  );
}

const urgencyOf = ({ status, standingSince, ...incident }: Incident): Urgency & Look => ({
  ...incident,
  acknowledged: status === 'acknowledged',
  standing: standingSince !== null,
});

/** What can be said of all of them: their targets, where and since when; how large it is differs. */
export function describedTogether({ incidents: [first, ...others] }: Problem): Described {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const names = new Map(all.flatMap(({ cells }) => cells.map(({ targetId, targetName }) => [targetId, targetName])));
  const known = [...names.values()].filter((name) => name !== null);
  const isTold = known.length === names.size && known.length <= MAX_NAMES;
  return {
    ...first,
    affected: {
      ...first.affected,
      targets: names.size,
      targetNames: isTold ? known.toSorted() : [],
      before: null,
      after: null,
      full: null,
    },
    onsetAt: all.map(({ onsetAt }) => onsetAt).toSorted()[0] ?? first.onsetAt,
    effectMs: null,
    effectRatio: null,
    failure: null,
    evidence: {},
  };
}
