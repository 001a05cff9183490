import { getPool } from '#server/database/database.ts';
import { inLane } from '#server/database/lane.ts';
import { dayOf, daysIn, mayBeSealed } from './blocks.ts';
import { Block, type SealedRow, type StoredBlock } from './pack.ts';

/** What is asked of sealed results; instants are ms since 1970, null asks nothing. */
export type SealedFilter = {
  targetIds: readonly string[];
  vantageIds: readonly string[] | null;
  variant: number | null;
  mainId: string | null;
  from: number | null;
  to: number | null;
};
/** A place in the order of lists: newest first, then by id. */
export type Place = { startedAt: number; id: string };
/** `searchedUntil`: nothing before this instant was looked at; null where all was. */
export type Scanned = { rows: SealedRow[]; searchedUntil: number | null };

/** Most blocks that are read at once: 80 kB each. At first as many as there are targets, and one. */
const MOST_AT_ONCE = 64;
const DAY_MS = 86_400_000;

/** A row that was found, and not yet made of its block. */
type Hit = { block: Block; row: number; startedAt: number };
type Page = { blocks: Block[]; last: { at: Date; id: string } | null };

/**
 * The next sealed results behind a place, newest first: at most `limit`, and fewer where it takes until `giveUpAt`
 * (performance.now()); then it came some way at the least. Blocks are read in the order of their last results: what
 * is newer than the last result of the next block is complete.
 */
export async function newestSealed(
  filter: SealedFilter,
  after: Place | null,
  limit: number,
  giveUpAt: number,
): Promise<Scanned> {
  const { from, to } = filter;
  if (limit === 0 || filter.targetIds.length === 0 || filter.vantageIds?.length === 0) return NOTHING;
  if (from !== null && !mayBeSealed(from)) return NOTHING;
  const newest = Math.min(to === null ? Infinity : to - 1, after === null ? Infinity : after.startedAt);
  const matches = matcherOf(filter, after);
  let hits: Hit[] = [];
  for (const day of await daysIn('result_block')) {
    if (day > newest) continue;
    if (from !== null && day < dayOf(from)) break;
    let atOnce = 1 + filter.targetIds.length;
    for (let last: Page['last'] = null; ; atOnce *= 2) {
      const behind = last;
      const page = await inLane(async () => {
        const found = await pageOf(filter, { day, newest, behind, atOnce: Math.min(atOnce, MOST_AT_ONCE) });
        hits = newestOf([...hits, ...found.blocks.flatMap(matches)], limit);
        return found;
      });
      last = page.last;
      // All of the day was read, and every other day is older than what was found.
      if (last === null) break;
      const complete = hits.filter(({ startedAt }) => startedAt > (last as { at: Date }).at.getTime());
      if (complete.length >= limit) break;
      const until = last.at.getTime() + 1;
      // Not before something is behind: whoever goes on from there comes to an end.
      if (performance.now() > giveUpAt && until < newest) return { rows: rowsOf(complete), searchedUntil: until };
    }
    if (hits.length >= limit) break;
    // The day is searched whole.
    if (performance.now() > giveUpAt && day < newest) return { rows: rowsOf(hits), searchedUntil: day };
  }
  return { rows: rowsOf(hits), searchedUntil: null };
}

const NOTHING: Scanned = { rows: [], searchedUntil: null };

/** The rows of hits, in their order, block by block: what was decoded for one goes before the next. */
function rowsOf(hits: readonly Hit[]): SealedRow[] {
  const rows = new Array<SealedRow>(hits.length);
  const places = hits.map((hit, place) => ({ ...hit, place }));
  for (const [block, own] of Map.groupBy(places, (hit) => hit.block)) {
    for (const { row, place } of own) rows[place] = block.rowAt(row);
    block.forget();
  }
  return rows;
}

const idOf = ({ block, row }: Hit) => block.idAt(row);

function newestOf(hits: Hit[], limit: number): Hit[] {
  return hits.sort((a, b) => b.startedAt - a.startedAt || (idOf(a) < idOf(b) ? 1 : -1)).slice(0, limit);
}

/** Finds the rows of a block that a filter asks for and that come behind a place. */
function matcherOf({ vantageIds, variant, mainId, from, to }: SealedFilter, after: Place | null) {
  const vantages = vantageIds === null ? null : new Set<unknown>(vantageIds);
  return (block: Block): Hit[] => {
    const hits: Hit[] = [];
    const [vantageOf, variantOf, mainOf] = ['vantage_id', 'variant', 'main_id'].map((name) => block.cells(name));
    block.instants.forEach((startedAt, row) => {
      if (from !== null && startedAt < from) return;
      if (to !== null && startedAt >= to) return;
      if (after !== null && startedAt > after.startedAt) return;
      if (vantages !== null && !vantages.has(vantageOf?.[row])) return;
      if (variant !== null && (variantOf?.[row] ?? 0) !== variant) return;
      if (mainId !== null && mainOf?.[row] !== mainId) return;
      const hit = { block, row, startedAt };
      if (after === null || startedAt < after.startedAt || idOf(hit) < after.id) hits.push(hit);
    });
    return hits;
  };
}

/** The next blocks of a day, by their last results, newest first. */
async function pageOf(
  { targetIds, vantageIds, variant, from }: SealedFilter,
  { day, newest, behind, atOnce }: { day: number; newest: number; behind: Page['last']; atOnce: number },
): Promise<Page> {
  const { rows } = await getPool().query<StoredBlock & { last_at: Date; first_id: string }>(
    `select target_id, codec, ids, data, last_at, first_id from result_block
      where target_id = any($1::uuid[]) and first_at >= $2 and first_at < $3 and first_at <= $4 and last_at >= $5
        and ($6::int is null or variants & $6 <> 0)
        and ($7::uuid[] is null or vantages && array(select number from vantage where id = any($7)))
        and (last_at, first_id) < ($8::timestamptz, $9::uuid)
      order by last_at desc, first_id desc limit $10`,
    [
      targetIds,
      new Date(day),
      new Date(day + DAY_MS),
      new Date(Math.min(newest, day + DAY_MS)),
      new Date(from ?? day),
      variant === null ? null : 1 << variant,
      vantageIds,
      behind?.at ?? 'infinity',
      behind?.id ?? GREATEST_ID,
      atOnce,
    ],
  );
  const last = rows.at(-1);
  const blocks = rows.map((row) => new Block(row));
  return { blocks, last: last && rows.length === atOnce ? { at: last.last_at, id: last.first_id } : null };
}

const GREATEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * When the oldest sealed result since an instant was taken, ms since 1970, of targets that are not deleted; null where there is
 * none. Of a block that began before, that instant.
 */
export async function oldestSealed(since: number): Promise<number | null> {
  if (!mayBeSealed(since)) return null;
  for (const day of (await daysIn('result_block')).filter((each) => each >= dayOf(since)).reverse()) {
    const { rows } = await getPool().query<{ at: Date | null }>(
      `select min(first_at) as at from result_block b join target t on t.id = b.target_id
        where t.deleted_at is null and first_at >= $1 and first_at < $2 and last_at >= $3`,
      [new Date(day), new Date(day + DAY_MS), new Date(since)],
    );
    const at = rows[0]?.at ?? null;
    if (at !== null) return Math.max(at.getTime(), since);
  }
  return null;
}

/** So many of a target's newest blocks are looked at: late results have blocks of their own beside the others. */
const NEWEST_BLOCKS = 16;

/** When each of these targets was last measured, ms since 1970, as far as that is sealed. */
export async function lastSealed(targetIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await getPool().query<{ id: string; at: Date }>(
    `select t.id, last.at from unnest($1::uuid[]) as t (id) cross join lateral (
        select max(last_at) as at from (
          select target_id, last_at from result_block where target_id = t.id order by first_at desc limit ${NEWEST_BLOCKS}) newest
        group by target_id) last`,
    [targetIds],
  );
  return new Map(rows.map(({ id, at }) => [id, at.getTime()]));
}
