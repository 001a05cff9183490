import { causeOfShares } from '#analysis/incident/cause.ts';
import { sharesOf } from '#analysis/incident/shares.ts';
import { unitsOf, whereOf } from '#analysis/incident/where.ts';
import type { ExcessPart, IncidentExplanation } from '#contract/explanation.ts';
import { counterfactualOf } from './counterfactual.ts';
import { isMeasured } from './effect.ts';
import { type Measured, measurementsOf } from './measurements.ts';
import type { IncidentRecord } from './stored-incident.ts';

/** Parts smaller than this (ms) are not listed. */
const LEAST_PART_MS = 0.05;

/** What follows from an incident's results; each null where they say nothing of it. */
export type Explained = Pick<IncidentRecord, 'explanation' | 'counterfactual'>;

/** What an incident's results say by `until` (ms since 1970). */
export async function explainedBy(incident: IncidentRecord, until: number): Promise<Explained> {
  const measured = isMeasured(incident.kind) ? await measurementsOf(incident, until) : null;
  if (measured === null) return { explanation: null, counterfactual: null };
  return {
    explanation: explanationOf(incident, measured, until),
    counterfactual: await counterfactualOf(incident, measured, until),
  };
}

function explanationOf(
  incident: IncidentRecord,
  { metric, own, others }: Measured,
  until: number,
): IncidentExplanation | null {
  const shares = sharesOf(metric, own);
  if (shares === null) return null;
  const { beforeMs, excessMs, series, results, roundTrips } = shares;
  const parts = (Object.entries(shares.parts) as [ExcessPart, number][])
    .filter(([, ms]) => Math.abs(ms) >= LEAST_PART_MS)
    .map(([code, ms]) => ({ code, ms, share: ms / excessMs }))
    .sort((a, b) => b.share - a.share);
  return {
    at: new Date(until).toISOString(),
    metric,
    beforeMs,
    excessMs,
    series,
    results,
    parts,
    roundTrips,
    // Refused sessions are counted: the times of the few results beside them may say anything.
    cause: incident.metric === 'refused' ? 'tls' : causeOfShares(metric, shares, incident.explanation?.cause ?? null),
    detected: incident.explanation ? incident.explanation.detected : incident.cause,
    where: whereOf(unitsOf(own, shares), unitsOf(others, shares)),
  };
}
