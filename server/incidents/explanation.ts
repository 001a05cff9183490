import { causeOfShares } from '#analysis/incident/cause.ts';
import { sharesOf } from '#analysis/incident/shares.ts';
import { unitsOf, whereOf } from '#analysis/incident/where.ts';
import type { ExcessPart, IncidentExplanation } from '#contract/explanation.ts';
import { isMeasured } from './effect.ts';
import { type Measured, measurementsOf } from './measurements.ts';
import type { IncidentRecord } from './row.ts';

/** Parts smaller than this (ms) are not listed. */
const LEAST_PART_MS = 0.05;

/** What an incident's results say by `until` (ms since 1970); null where they say nothing. */
export async function explanationOf(incident: IncidentRecord, until: number): Promise<IncidentExplanation | null> {
  if (!isMeasured(incident.kind)) return null;
  const measured = await measurementsOf(incident, until);
  return measured && explained(incident, measured, until);
}

function explained(incident: IncidentRecord, { metric, own, others }: Measured, until: number) {
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
    where: whereOf(unitsOf([...own, ...others], shares)),
  };
}
