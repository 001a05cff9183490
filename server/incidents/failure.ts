import { IncidentFailure } from '#contract/failure.ts';
import { queryResults } from '#server/blocks/read.ts';
import { IS_MAIN } from '#server/database/codes.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import type { IncidentRecord } from './stored-incident.ts';

/** From how long before the onset, and until how long after it, the failed results are read, in ms. */
const BEFORE_MS = 60_000;
const AFTER_MS = 15 * 60_000;
/** Most results that are read of one incident. */
const MOST = 5_000;

/** Why the probes of an incident fail, where its evidence says so; targets fail each for a reason of their own. */
export const failureIn = ({
  targetId,
  evidence,
}: Pick<IncidentRecord, 'targetId' | 'evidence'>): IncidentFailure | null =>
  targetId === null ? null : (IncidentFailure.safeParse(evidence.failure).data ?? null);

/** Says whether an incident is about failures: of these the reason is looked for. */
export const isOfFailures = ({ kind, metric }: Pick<IncidentRecord, 'kind' | 'metric'>) =>
  kind === 'down' || (kind === 'spike' && metric === 'failures');

/** What an incident's failures were about: a target, its vantages, and from when to when (ms) results are read. */
type Span = { targetId: string; vantageIds: string[]; from: number; to: number };

/**
 * The commonest reason for which each of these incidents' probes fail, and its share there; null where none of them failed,
 * and for an incident of several targets. One statement for all.
 */
export async function failuresOfIncidents(
  incidents: readonly IncidentRecord[],
  now: Date,
): Promise<(IncidentFailure | null)[]> {
  const spans = incidents.map((incident) => spanOf(incident, now));
  const asked = spans.filter((span) => span !== null);
  if (asked.length === 0) return incidents.map(() => null);
  const rows = await read(asked);
  const strings = await stringsOf(new Set(rows.flatMap(({ phase, reason, source }) => [phase, reason, source])));
  const found = new Map(
    rows.map(({ place, phase, reason, source, share }) => {
      const [phaseName, reasonName, sourceName] = [phase, reason, source].map((id) => strings.get(id));
      const failure = { phase: phaseName, reason: reasonName, source: sourceName, share };
      return [asked[place - 1], IncidentFailure.safeParse(failure).data ?? null];
    }),
  );
  return spans.map((span) => (span && found.get(span)) ?? null);
}

function spanOf({ targetId, cells, onsetAt }: IncidentRecord, now: Date): Span | null {
  if (targetId === null) return null;
  const vantageIds = cells.flatMap(({ vantageId }) => vantageId ?? []);
  const from = onsetAt.getTime() - BEFORE_MS;
  return { targetId, vantageIds, from, to: Math.min(now.getTime(), onsetAt.getTime() + AFTER_MS) };
}

type Row = { place: number; phase: number; reason: number; source: number; share: number };

const COLUMNS = ['failure_phase_id', 'failure_reason_id'];

async function read(spans: Span[]): Promise<Row[]> {
  // By share, so that the last of a place is its commonest.
  return await queryResults<Row>({
    spans: spans.map(({ targetId, from, to }) => ({ targetId, from, to: to + 1 })),
    columns: COLUMNS,
    text: (result) => `select s.place::int as place, phase, reason, source, share
      from unnest($1::uuid[], $2::text[], $3::float8[], $4::float8[]) with ordinality as s (target_id, vantage_ids, since, until, place)
      cross join lateral (
        select failure_phase_id as phase, failure_reason_id as reason, failure_source_id as source,
          (count(*) / sum(count(*)) over (partition by target_id))::float8 as share, ok
        from (
          select target_id, ok, failure_phase_id, failure_reason_id, failure_source_id from ${result} result
          where target_id = s.target_id and vantage_id = any(s.vantage_ids::uuid[]) and ${IS_MAIN}
            and started_at >= to_timestamp(s.since / 1000) and started_at <= to_timestamp(s.until / 1000)
            and started_at >= to_timestamp($5::float8 / 1000) and started_at <= to_timestamp($6::float8 / 1000)
          order by started_at desc limit ${MOST}
        ) latest
        group by target_id, failure_phase_id, failure_reason_id, failure_source_id, ok
      ) kinds
      where not ok and reason is not null
      order by s.place, share`,
    values: [
      spans.map(({ targetId }) => targetId),
      spans.map(({ vantageIds }) => `{${vantageIds.join(',')}}`),
      spans.map(({ from }) => from),
      spans.map(({ to }) => to),
      // Constants, so that the partitions of other days are left alone.
      Math.min(...spans.map(({ from }) => from)),
      Math.max(...spans.map(({ to }) => to)),
    ],
  });
}
