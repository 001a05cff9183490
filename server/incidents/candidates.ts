import { type IncidentCandidate, POSTURE_FIELDS } from '#contract/incident.ts';
import { getPool } from '../database.ts';
import { TELLS } from '../detection/samples.ts';
import { stringsOf } from '../dictionary.ts';
import type { StoredCell } from './row.ts';

type PostureField = (typeof POSTURE_FIELDS)[number];

/** How far from the onset markers, and results to compare, are looked for. */
const NEARBY_MS = 3_600_000;
/** A value is a candidate where at least this share of the results after the onset has it, and so much less before. */
const LEAST_AFTER = 0.5;
const LEAST_GAIN = 0.3;
/** Of an incident that reaches over many targets, the first few are looked into. */
const MAX_TARGETS = 3;

/** What may have caused an incident: the handshakes' own changes at its onset first, then markers nearby. */
export async function causeCandidates(about: { cells: StoredCell[]; onsetAt: Date }): Promise<IncidentCandidate[]> {
  const byTarget = [...Map.groupBy(about.cells, ({ targetId }) => targetId)];
  const found: IncidentCandidate[] = [];
  for (const [targetId, cells] of byTarget.slice(0, MAX_TARGETS)) {
    const vantageIds = cells.flatMap(({ vantageId }) => vantageId ?? []);
    if (targetId !== null && vantageIds.length > 0)
      found.push(...(await postureChanges(targetId, vantageIds, about.onsetAt)));
  }
  return [
    ...found,
    ...(await markersNear(
      byTarget.flatMap(([targetId]) => targetId ?? []),
      about.onsetAt,
    )),
  ];
}

async function markersNear(targetIds: string[], onsetAt: Date): Promise<IncidentCandidate[]> {
  const { rows } = await getPool().query<{ id: string; title: string; at: Date }>(
    `select id, title, at from marker where at between $1 and $2 and (target_id is null or target_id = any($3::uuid[]))
      order by abs(extract(epoch from at - $4::timestamptz)), id limit 20`,
    [new Date(onsetAt.getTime() - NEARBY_MS), new Date(onsetAt.getTime() + NEARBY_MS), targetIds, onsetAt],
  );
  return rows.map(({ id, title, at }) => ({
    kind: 'marker',
    markerId: id,
    title,
    at: at.toISOString(),
    offsetSeconds: Math.round((at.getTime() - onsetAt.getTime()) / 1_000),
  }));
}

/** How many results before and after the onset have a value of a field. */
type Tally = { field: PostureField; value: string; before: number; after: number };

async function postureChanges(targetId: string, vantageIds: string[], onsetAt: Date): Promise<IncidentCandidate[]> {
  const tallies = await named(await tally(targetId, vantageIds, onsetAt));
  const byField = Map.groupBy(tallies, ({ field }) => field);
  return POSTURE_FIELDS.flatMap((field) => {
    const change = changeOf(byField.get(field) ?? []);
    return change ? { kind: 'posture' as const, targetId, field, ...change } : [];
  });
}

/** Fields that hold ids of the dictionary are counted by id and named afterwards. */
const DICTIONARY_FIELDS: ReadonlySet<PostureField> = new Set(['version', 'alpn', 'group', 'staple', 'peerAddress']);

async function tally(targetId: string, vantageIds: string[], onsetAt: Date): Promise<Tally[]> {
  const { rows } = await getPool().query<Tally>(
    `select f.field, f.value, count(*) filter (where started_at < $3)::int as before,
        count(*) filter (where started_at >= $3)::int as after
      from result r left join certificate c on c.id = r.certificate_id
      cross join lateral (values
        ('issuer', c.issuer), ('certificate', encode(c.sha256, 'hex')), ('chainBytes', r.chain_bytes::text),
        ('version', r.tls_version_id::text), ('alpn', r.alpn_id::text), ('group', r.group_id::text),
        ('staple', r.staple_status_id::text), ('peerAddress', r.peer_address_id::text),
        ('resumed', r.resumed::text), ('roundTrips', r.round_trips::text)) f (field, value)
      where r.target_id = $1 and r.vantage_id = any($2::uuid[]) and r.started_at >= $4 and r.started_at < $5
        and f.value is not null and ${TELLS}
      group by f.field, f.value`,
    [targetId, vantageIds, onsetAt, new Date(onsetAt.getTime() - NEARBY_MS), new Date(onsetAt.getTime() + NEARBY_MS)],
  );
  return rows;
}

async function named(tallies: Tally[]): Promise<Tally[]> {
  const ids = tallies.filter(({ field }) => DICTIONARY_FIELDS.has(field)).map(({ value }) => Number(value));
  const strings = await stringsOf(new Set(ids));
  return tallies.map((each) =>
    DICTIONARY_FIELDS.has(each.field) ? { ...each, value: strings.get(Number(each.value)) ?? each.value } : each,
  );
}

/** The value that came, if most have it since and clearly fewer had it before. */
function changeOf(tallies: Tally[]) {
  const total = (side: 'before' | 'after') => tallies.reduce((sum, each) => sum + each[side], 0);
  const [before, after] = [total('before'), total('after')];
  if (before === 0 || after === 0) return null;
  const top = (side: 'before' | 'after') => tallies.toSorted((a, b) => b[side] - a[side])[0];
  const now = top('after');
  if (!now) return null;
  const [beforeShare, afterShare] = [now.before / before, now.after / after];
  if (afterShare < LEAST_AFTER || afterShare - beforeShare < LEAST_GAIN) return null;
  return { before: top('before')?.value ?? null, after: now.value, beforeShare, afterShare };
}
