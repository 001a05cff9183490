import { z } from 'zod';
import { type IncidentCandidate, POSTURE_FIELDS } from '#contract/incident.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { queryResults } from '#server/blocks/read.ts';
import { getPrisma } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { IS_INFORMATIVE } from '#server/detection/read-samples.ts';
import { findingChanges, LEAST_RESULTS, type OnsetScope } from './finding-changes.ts';
import { type Onset, onsetOf } from './onset.ts';
import { lockIncidents, type StoredCell, saveIncidents } from './stored-incident.ts';

type PostureField = (typeof POSTURE_FIELDS)[number];

/** How far from the onset markers, and results to compare, are looked for. */
const NEARBY_MS = 3_600_000;
/** A value is a candidate where at least this share of the results after the onset has it, and so much less before. */
const LEAST_AFTER = 0.5;
const LEAST_GAIN = 0.3;
/** What came after the change did not cause it. As far as an onset is uncertain, and no further than this, ms, results are early ones. */
const MOST_UNCERTAIN_MS = 600_000;
/** A period where no check is left to tell it, and the longest that counts, ms. */
const USUAL_PERIOD_MS = 60_000;
const LONGEST_PERIOD_MS = 600_000;

/** Of an incident that reaches over many targets, the first few are looked into. */
const MAX_TARGETS = 3;
const MAX_MARKERS = 50;
/** How much less likely a marker after the onset's interval is than one as far before it, and one of all targets than one of its own. */
const AFTER_FACTOR = 2;
const OF_ALL_PENALTY = 0.5;

/** Of what changed: where, and since when, as it is shown. */
type Change = { cells: StoredCell[]; onsetAt: Date };

/**
 * What may have caused each of these incidents: the handshakes' own changes at its onset first, then findings that appeared with
 * it, then markers within an hour of it, the likeliest first. Asked
 * for all at once, since there may be a thousand.
 */
export async function causeCandidates(changes: readonly Change[]): Promise<IncidentCandidate[][]> {
  const periods = await periodsOf(changes);
  const places = changes.map((change) => placesOf(change, periods));
  const postures = await postureChanges(places);
  const findings = await findingChanges(places.flat());
  const markers = await markersAbout(changes);
  return changes.map((change, index) => [
    ...(postures[index] ?? []),
    ...(places[index] ?? []).flatMap((place) => findings.get(place) ?? []),
    ...markersNear(markers, change, periods),
  ]);
}

/** Names a marker that was written only now in the incidents that it may have caused. */
export async function nameMarker(db: Prisma.TransactionClient, marker: MarkerRow): Promise<void> {
  // The interval of an onset reaches an hour from it at the most; what came back has its first onset.
  const [gte, lte] = [-2 * NEARBY_MS, 2 * NEARBY_MS].map((offset) => new Date(marker.at.getTime() + offset));
  const near = { gte, lte } as { gte: Date; lte: Date };
  const locked = await lockIncidents(db, { OR: [{ onsetAt: near }, { reopenedAt: near }] });
  const periods = await periodsOf(locked, db);
  const named = locked.filter((incident) => markersNear([marker], incident, periods).length > 0);
  if (named.length === 0) return;
  const markers = await markersAbout(named, db);
  for (const incident of named) {
    const measured = incident.candidates.filter(({ kind }) => kind !== 'marker');
    incident.candidates = [...measured, ...markersNear(markers, incident, periods)];
  }
  await saveIncidents(db, named, new Set());
}

/** When it began, by its cells as they are now: the incident may have begun, and ended, before. */
function datedOf({ cells, onsetAt }: Change): Onset {
  return cells.length === 0 ? { at: onsetAt, from: onsetAt, to: onsetAt } : onsetOf(cells);
}

/** The range that markers of an incident are looked for in: an hour around the interval of its onset. */
export function markerRange(change: Change): { from: Date; to: Date } {
  const { from, to } = datedOf(change);
  return { from: new Date(from.getTime() - NEARBY_MS), to: new Date(to.getTime() + NEARBY_MS) };
}

/** How often each target is probed, ms. */
type Periods = ReadonlyMap<string, number>;

async function periodsOf(changes: readonly Change[], db: Prisma.TransactionClient = getPrisma()): Promise<Periods> {
  const ids = new Set(changes.flatMap(({ cells }) => cells.flatMap(({ targetId }) => targetId ?? [])));
  const targets = await db.target.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, periodSeconds: true },
  });
  return new Map(targets.map(({ id, periodSeconds }) => [id, Math.min(LONGEST_PERIOD_MS, periodSeconds * 1_000)]));
}

/** How long after the onset what caused it may seem to have come, ms: a probe period, of the targets the longest, and its uncertainty. */
function slackOf(change: Change, periods: Periods): number {
  const { at, to } = datedOf(change);
  const uncertain = Math.min(MOST_UNCERTAIN_MS, to.getTime() - at.getTime());
  return uncertain + periodOf(change, periods);
}

/** The longest probe period of its targets, ms. */
function periodOf({ cells }: Change, periods: Periods): number {
  return Math.max(0, ...cells.map(({ targetId }) => periods.get(targetId ?? '') ?? USUAL_PERIOD_MS));
}

/** A place, and how long after the onset its results are early ones, ms. */
type DatedScope = OnsetScope & { earlyMs: number };

function placesOf(change: Change, periods: Periods): DatedScope[] {
  const { cells } = change;
  const onsetAt = datedOf(change).at;
  const earlyMs = slackOf(change, periods);
  return [...Map.groupBy(cells, ({ targetId }) => targetId)].slice(0, MAX_TARGETS).flatMap(([targetId, same]) => {
    const vantageIds = same.flatMap(({ vantageId }) => vantageId ?? []);
    return targetId === null || vantageIds.length === 0 ? [] : { targetId, vantageIds, onsetAt, earlyMs };
  });
}

type MarkerRow = { id: string; title: string; at: Date; targetId: string | null };

/** The markers that may be near to any of these. */
async function markersAbout(
  changes: readonly Change[],
  db: Prisma.TransactionClient = getPrisma(),
): Promise<MarkerRow[]> {
  const ranges = changes.map(markerRange);
  return await db.marker.findMany({
    where: {
      at: {
        gte: new Date(Math.min(...ranges.map(({ from }) => from.getTime()))),
        lte: new Date(Math.max(...ranges.map(({ to }) => to.getTime()))),
      },
    },
    select: { id: true, title: true, at: true, targetId: true },
    orderBy: { id: 'asc' },
  });
}

/**
 * The markers within an hour of the onset's interval, of the targets or of all, the likeliest first: by how far they are outside that
 * interval, in widths of it, and whose they are. `offsetSeconds` counts from the onset that is shown.
 */
function markersNear(markers: MarkerRow[], change: Change, periods: Periods): IncidentCandidate[] {
  const { cells, onsetAt } = change;
  const range = markerRange(change);
  const { from, to } = datedOf(change);
  const period = periodOf(change, periods);
  const width = to.getTime() - from.getTime() + period;
  const targets = new Set(cells.map(({ targetId }) => targetId));
  const isLater = ({ at }: MarkerRow) => at.getTime() > to.getTime() + period;
  const unlikeliness = (marker: MarkerRow) => {
    const at = marker.at.getTime();
    const outside = isLater(marker) ? AFTER_FACTOR * (at - to.getTime() - period) : Math.max(0, from.getTime() - at);
    return outside / width + (marker.targetId === null ? OF_ALL_PENALTY : 0);
  };
  const distance = ({ at }: MarkerRow) => Math.abs(at.getTime() - onsetAt.getTime());
  return markers
    .filter(({ at }) => at >= range.from && at <= range.to)
    .filter(({ targetId }) => targetId === null || targets.has(targetId))
    .toSorted((a, b) => unlikeliness(a) - unlikeliness(b) || distance(a) - distance(b))
    .slice(0, MAX_MARKERS)
    .map((marker) => ({
      kind: 'marker' as const,
      markerId: marker.id,
      title: marker.title,
      at: marker.at.toISOString(),
      offsetSeconds: Math.round((marker.at.getTime() - onsetAt.getTime()) / 1_000),
      later: isLater(marker),
    }));
}

/** How many results before and after the onset have a value of a field; `early`: of those after it the first. */
type Tally = { field: PostureField; value: string; before: number; after: number; early: number };

/** What changed at the places of each incident. */
async function postureChanges(placesOfEach: readonly DatedScope[][]): Promise<IncidentCandidate[][]> {
  const places = placesOfEach.flat();
  const byPlace = Map.groupBy(places.length === 0 ? [] : await tally(places), ({ place }) => place);
  const changes = new Map(
    places.map((place, index) => [place, changesAt(place.targetId, byPlace.get(index + 1) ?? [])]),
  );
  return placesOfEach.map((own) => own.flatMap((place) => changes.get(place) ?? []));
}

function changesAt(targetId: string, tallies: Tally[]): IncidentCandidate[] {
  const byField = Map.groupBy(tallies, ({ field }) => field);
  return POSTURE_FIELDS.flatMap((field) => {
    const change = changeOf(byField.get(field) ?? []);
    return change ? { kind: 'posture' as const, targetId, field, ...change } : [];
  });
}

/** Fields that hold ids of the dictionary are counted by id and named afterwards. */
const DICTIONARY_FIELDS: ReadonlySet<PostureField> = new Set([
  'version',
  'alpn',
  'group',
  'staple',
  'peerAddress',
  'cipher',
  'tickets',
]);

/** Stands for the id of an offer where a server made none, and of a protocol where none was agreed on: those results count, too. */
const NONE = 'none';

const COLUMNS = [
  'certificate_id',
  'chain_bytes',
  'tls_version_id',
  'alpn_id',
  'group_id',
  'staple_status_id',
  'peer_address_id',
  'resumed',
  'round_trips',
  'cipher_id',
  'http_first_body_record_bytes',
  'window_segments',
  'window_exact',
  'session_offer_id',
  'engine_version',
];

async function tally(places: readonly DatedScope[]): Promise<(Tally & { place: number })[]> {
  const onsets = places.map(({ onsetAt }) => onsetAt.getTime());
  const rows = await queryResults<Tally & { place: number }>({
    spans: places.map(({ targetId, onsetAt }) => ({
      targetId,
      from: onsetAt.getTime() - NEARBY_MS,
      to: onsetAt.getTime() + NEARBY_MS,
    })),
    columns: COLUMNS,
    text: (
      result,
    ) => `select p.place::int as place, f.field, f.value, count(*) filter (where started_at < p.onset)::int as before,
        count(*) filter (where started_at >= p.onset)::int as after,
        count(*) filter (where started_at >= p.onset and started_at < p.onset + p.early * interval '1 ms')::int as early
      from unnest($1::uuid[], $2::text[], $3::timestamptz[], $7::float8[]) with ordinality as p (target_id, vantage_ids, onset, early, place)
      join ${result} r on r.target_id = p.target_id and r.vantage_id = any(p.vantage_ids::uuid[])
        and r.started_at >= p.onset - $4 * interval '1 ms' and r.started_at < p.onset + $4 * interval '1 ms'
      left join certificate c on c.id = r.certificate_id
      cross join lateral (values
        ('issuer', c.issuer), ('certificate', encode(c.sha256, 'hex')), ('chainBytes', r.chain_bytes::text),
        ('version', r.tls_version_id::text), ('alpn', case when r.tls_version_id is not null then coalesce(r.alpn_id::text, '${NONE}') end), ('group', r.group_id::text),
        ('staple', r.staple_status_id::text), ('peerAddress', r.peer_address_id::text),
        ('resumed', r.resumed::text), ('roundTrips', r.round_trips::text), ('cipher', r.cipher_id::text),
        ('keyType', coalesce(c.key_type || ' ' || c.key_bits::text, c.key_type)), ('recordBytes', r.http_first_body_record_bytes::text),
        ('serverWindow', case when r.window_exact then r.window_segments::text end),
        ('tickets', case when r.engine_version >= 2 then coalesce(r.session_offer_id::text, '${NONE}') end)) f (field, value)
      where r.started_at >= $5 and r.started_at < $6 and f.value is not null and f.value <> '' and ${IS_INFORMATIVE}
      group by p.place, f.field, f.value`,
    values: [
      places.map(({ targetId }) => targetId),
      places.map(({ vantageIds }) => `{${vantageIds.join(',')}}`),
      places.map(({ onsetAt }) => onsetAt),
      NEARBY_MS,
      // Constants, so that the partitions of other days are left alone.
      new Date(Math.min(...onsets) - NEARBY_MS),
      new Date(Math.max(...onsets) + NEARBY_MS),
      places.map(({ earlyMs }) => earlyMs),
    ],
  });
  return await named(rows);
}

async function named<T extends Tally>(tallies: T[]): Promise<T[]> {
  const ids = tallies.flatMap(({ field, value }) =>
    DICTIONARY_FIELDS.has(field) && value !== NONE ? [Number(value)] : [],
  );
  const strings = await stringsOf(new Set(ids));
  const all = tallies.map((each) => {
    if (!DICTIONARY_FIELDS.has(each.field)) return each;
    const text = each.value === NONE ? NONE : (strings.get(Number(each.value)) ?? each.value);
    return { ...each, value: each.field === 'tickets' ? ticketsOf(text) : text };
  });
  return merged(all);
}

/** What a server offers for a resumption, without how long it lasts: `tickets`, `session id` or `none`. */
function ticketsOf(offer: string): string {
  if (offer === NONE) return offer;
  const parsed = z.object({ tickets: z.number() }).safeParse(JSON.parse(offer)).data;
  return parsed && parsed.tickets > 0 ? 'tickets' : 'session id';
}

/** Tallies of one value as one: offers that differ in what is left out have become the same. */
function merged<T extends Tally & { place?: number }>(tallies: readonly T[]): T[] {
  const sums = new Map<string, T>();
  for (const each of tallies) {
    const key = JSON.stringify([each.place, each.field, each.value]);
    const sum = sums.get(key);
    if (!sum) sums.set(key, { ...each });
    else {
      sum.before += each.before;
      sum.after += each.after;
      sum.early += each.early;
    }
  }
  return [...sums.values()];
}

/** The value that came, if most have it since, from the beginning, and clearly fewer had it before. */
function changeOf(tallies: Tally[]) {
  const total = (side: 'before' | 'after' | 'early') => tallies.reduce((sum, each) => sum + each[side], 0);
  const [before, after] = [total('before'), total('after')];
  if (Math.min(before, after) < LEAST_RESULTS) return null;
  const top = (side: 'before' | 'after') => tallies.toSorted((a, b) => b[side] - a[side])[0];
  const now = top('after');
  if (!now) return null;
  const [beforeShare, afterShare] = [now.before / before, now.after / after];
  const early = total('early');
  if (early > 0 && now.early / early < LEAST_AFTER) return null;
  if (afterShare < LEAST_AFTER || afterShare - beforeShare < LEAST_GAIN) return null;
  return { before: top('before')?.value ?? null, after: now.value, beforeShare, afterShare };
}
