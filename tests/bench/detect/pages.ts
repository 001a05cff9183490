import { seriesKey } from './detection.ts';
import type { Judgement, Verdict } from './judge.ts';

/** A page is one value of `incident`; detections without one are pages of their own. Ignored detections count nowhere. */
export type PageScores = {
  pages: number;
  incidents: number;
  /** Pages on which the cells of one labelled incident appear: the mean over incidents that were found. */
  perIncident: number | null;
  /** Share of pages with at least one right detection. */
  precision: number | null;
  /** Share of right pages that show more than one labelled incident: what grouping everything would bring. */
  mixed: number | null;
};

export function scorePages(judgements: readonly Judgement[]): PageScores {
  const counted = judgements.flatMap(({ verdicts }) => verdicts).filter(({ outcome }) => outcome !== 'ignored');
  const incidentsOn = groups(counted, pageOf, incidentOf);
  const pagesOf = groups(counted.filter(isFound), incidentOf, pageOf);
  const right = [...incidentsOn.values()].filter((incidents) => incidents.size > 0);
  const total = [...pagesOf.values()].reduce((sum, pages) => sum + pages.size, 0);
  return {
    pages: incidentsOn.size,
    incidents: pagesOf.size,
    perIncident: pagesOf.size === 0 ? null : total / pagesOf.size,
    precision: incidentsOn.size === 0 ? null : right.length / incidentsOn.size,
    mixed: right.length === 0 ? null : right.filter((incidents) => incidents.size > 1).length / right.length,
  };
}

function isFound({ outcome, event }: Verdict): boolean {
  return outcome === 'right' && event !== null;
}

function pageOf({ detection }: Verdict): string {
  return detection.incident ?? `${seriesKey(detection)} ${detection.kind} ${detection.at}`;
}

function incidentOf(verdict: Verdict): string | null {
  return isFound(verdict) ? (verdict.event?.incident ?? null) : null;
}

/** Values by key; a null value makes the key known without adding to it, a null key is left out. */
function groups(
  verdicts: readonly Verdict[],
  keyOf: (verdict: Verdict) => string | null,
  worthOf: (verdict: Verdict) => string | null,
): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const verdict of verdicts) {
    const key = keyOf(verdict);
    if (key === null) continue;
    const values = found.get(key) ?? new Set<string>();
    const value = worthOf(verdict);
    if (value !== null) values.add(value);
    found.set(key, values);
  }
  return found;
}
