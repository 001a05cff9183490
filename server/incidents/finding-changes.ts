import type { IncidentCandidate } from '#contract/incident.ts';
import { FINDING_CODES } from '#contract/vocabulary.ts';
import { getPool } from '#server/database/database.ts';
import { rowsOf } from '#server/database/one-target.ts';
import { IS_INFORMATIVE } from '#server/detection/read-samples.ts';

/** How far (ms) before and after the onset findings are counted. */
const NEARBY_MS = 900_000;
/** A finding appeared where at least this share of the results since the onset has it, and so much less before. */
const LEAST_AFTER = 0.5;
const LEAST_GAIN = 0.3;
/** With fewer results on a side nothing is said to have changed: of two, a single odd one would be the share that is asked. */
export const LEAST_RESULTS = 3;
/** Of an incident's vantages so many are looked at, and in a storm so many incidents: their evidence is read row by row. */
const MOST_VANTAGES = 10;
const MOST_PLACES = 30;

/** One target of an incident, with the vantages at which it changed. */
export type OnsetScope = { targetId: string; vantageIds: string[]; onsetAt: Date };

type FindingCandidate = Extract<IncidentCandidate, { kind: 'finding' }>;

/** Of the results of a place: how many there are on either side of the onset, and how many have a finding; its worth since then. */
type Row = {
  place: number;
  code: string | null;
  before: number;
  after: number;
  since: Date | null;
  roundTrips: number | null;
  ms: number | null;
};

/** The findings that appeared with the onset at each place; what it costs is the mean of those since. */
export async function findingChanges(places: readonly OnsetScope[]): Promise<Map<OnsetScope, FindingCandidate[]>> {
  const asked = places.slice(0, MOST_PLACES);
  if (asked.length === 0) return new Map();
  const byPlace = Map.groupBy(await count(asked), ({ place }) => place);
  return new Map(asked.map((place, index) => [place, candidatesOf(place, byPlace.get(index + 1) ?? [])]));
}

async function count(places: readonly OnsetScope[]): Promise<Row[]> {
  const onsets = places.map(({ onsetAt }) => onsetAt.getTime());
  const targetIds = places.map(({ targetId }) => targetId);
  const values: unknown[] = [
    targetIds,
    places.map(({ vantageIds }) => `{${vantageIds.slice(0, MOST_VANTAGES).join(',')}}`),
    places.map(({ onsetAt }) => onsetAt),
    NEARBY_MS,
    // Constants, so that the partitions of other days are left alone.
    new Date(Math.min(...onsets) - NEARBY_MS),
    new Date(Math.max(...onsets) + NEARBY_MS),
  ];
  // Results of now: what is sealed is days old.
  const { rows } = await getPool().query<Row>(
    // The first of each result's findings is none: it counts the results, those without evidence too, which have no finding.
    `select p.place::int as place, finding ->> 'code' as code,
        count(*) filter (where r.started_at < p.onset)::int as before,
        count(*) filter (where r.started_at >= p.onset)::int as after,
        min(r.started_at) filter (where r.started_at >= p.onset) as since,
        (avg((finding ->> 'savesRoundTrips')::float8) filter (where r.started_at >= p.onset))::float8 as "roundTrips",
        (avg((finding ->> 'savesMs')::float8) filter (where r.started_at >= p.onset))::float8 as ms
      from unnest($1::uuid[], $2::text[], $3::timestamptz[]) with ordinality as p (target_id, vantage_ids, onset, place)
      join ${rowsOf('result', targetIds, values)} r on r.target_id = p.target_id and r.vantage_id = any(p.vantage_ids::uuid[])
        and r.started_at >= p.onset - $4 * interval '1 ms' and r.started_at < p.onset + $4 * interval '1 ms'
      left join result_evidence e on e.target_id = r.target_id and e.started_at = r.started_at and e.id = r.id
        and e.started_at >= $5 and e.started_at < $6
      cross join lateral jsonb_array_elements('[null]'::jsonb || coalesce(e.evidence -> 'findings', '[]')) finding
      where r.started_at >= $5 and r.started_at < $6 and ${IS_INFORMATIVE}
      group by p.place, finding ->> 'code'`,
    values,
  );
  return rows;
}

function candidatesOf({ targetId }: OnsetScope, rows: readonly Row[]): FindingCandidate[] {
  const all = rows.find(({ code }) => code === null);
  if (!all || Math.min(all.before, all.after) < LEAST_RESULTS) return [];
  return rows.flatMap(({ code: name, before, after, since, roundTrips, ms }) => {
    const code = FINDING_CODES.find((each) => each === name);
    const [beforeShare, afterShare] = [before / all.before, after / all.after];
    if (!code || !since || afterShare < LEAST_AFTER || afterShare - beforeShare < LEAST_GAIN) return [];
    const worth = { savesRoundTrips: rounded(roundTrips), savesMs: rounded(ms) };
    return { kind: 'finding' as const, targetId, code, since: since.toISOString(), beforeShare, afterShare, ...worth };
  });
}

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);
