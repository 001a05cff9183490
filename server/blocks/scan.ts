import { getPool } from '#server/database/database.ts';
import { inLane } from '#server/database/lane.ts';
import { DAY_MS, dayOf, daysIn, mayBeSealed } from './blocks.ts';
import { type BlockKey, nameOfBlock, openBlocks } from './open.ts';
import { Block, type Needs, type SealedRow, type StoredBlock } from './pack.ts';

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
export type Cursor = { startedAt: number; id: string };
/** `searchedUntil`: nothing before this instant was looked at; null where all was. */
export type Scanned = { rows: SealedRow[]; searchedUntil: number | null };

/** Most blocks that are read at once, as they are stored: 80 kB each. At first as many as there are targets, and one. */
const MOST_AT_ONCE = 64;
/**
 * Most blocks that stay unpacked, half a MB each: what was found in the others is unpacked again when its rows are made. Where
 * hundreds of targets are measured at once, the newest results are spread over as many blocks.
 */
export const MOST_UNPACKED = 64;

/** A row that was found, and not yet made of its block. */
type Hit = { key: BlockKey; row: number; startedAt: number; id: string };
type Page = { blocks: (StoredBlock & BlockKey)[]; last: { at: Date; id: string } | null };

/**
 * The next sealed results behind a place, newest first: at most `limit`, and fewer where it takes until `giveUpAt`
 * (performance.now()); then it came some way at the least. Blocks are read in the order of their last results: what
 * is newer than the last result of the next block is complete. Rows are whole but for columns that are newer than their
 * blocks, or have what is needed alone.
 */
export async function newestSealed(
  filter: SealedFilter,
  after: Cursor | null,
  limit: number,
  giveUpAt: number,
  needs: Needs | null = null,
): Promise<Scanned> {
  const { from, to } = filter;
  if (limit === 0 || filter.targetIds.length === 0 || filter.vantageIds?.length === 0) return NOTHING;
  if (from !== null && !mayBeSealed(from)) return NOTHING;
  const newest = Math.min(to === null ? Infinity : to - 1, after === null ? Infinity : after.startedAt);
  const found = new Newest(limit, matcherOf(filter, after));
  for (const day of await daysIn('result_block')) {
    if (day > newest) continue;
    if (from !== null && day < dayOf(from)) break;
    let atOnce = 1 + filter.targetIds.length;
    for (let last: Page['last'] = null; ; atOnce *= 2) {
      const behind = last;
      last = await inLane(async () => {
        const page = await pageOf(filter, { day, newest, behind, atOnce: Math.min(atOnce, MOST_AT_ONCE) });
        for (const each of page.blocks) found.addFrom(each);
        return page.last;
      });
      // All of the day was read, and every other day is older than what was found.
      if (last === null) break;
      const until = last.at.getTime() + 1;
      if (found.countSince(until) >= limit) break;
      // Not before some progress: a caller that goes on from there comes to an end.
      if (performance.now() > giveUpAt && until < newest)
        return { rows: await found.rowsSince(until, needs), searchedUntil: until };
    }
    if (found.countSince(0) >= limit) break;
    // The day is searched whole.
    if (performance.now() > giveUpAt && day < newest)
      return { rows: await found.rowsSince(0, needs), searchedUntil: day };
  }
  return { rows: await found.rowsSince(0, needs), searchedUntil: null };
}

const NOTHING: Scanned = { rows: [], searchedUntil: null };

/** The newest results that were found so far, at most `limit`, and the blocks that they are of, as far as these stay unpacked. */
class Newest {
  readonly #limit: number;
  readonly #matches: Matcher;
  #hits: Hit[] = [];
  #isCut = true;
  /** No result before this instant is among the newest. */
  #since = Number.NEGATIVE_INFINITY;
  readonly #unpacked = new Map<string, Block>();

  constructor(limit: number, matches: Matcher) {
    this.#limit = limit;
    this.#matches = matches;
  }

  addFrom(stored: StoredBlock & BlockKey): void {
    const block = new Block(stored);
    const { target_id, first_at, first_id } = stored;
    const key = { target_id, first_at, first_id };
    const matching = this.#matches(block, this.#since);
    if (matching.length === 0) return;
    for (const row of newestRows(matching, block.instants, this.#limit))
      this.#hits.push({ key, row, startedAt: block.instants[row] as number, id: block.idAt(row) });
    this.#isCut = false;
    if (this.#hits.length >= 2 * this.#limit) this.#cut();
    if (this.#unpacked.size < MOST_UNPACKED) this.#unpacked.set(nameOfBlock(key), block);
  }

  countSince(instant: number): number {
    this.#cut();
    return this.#hits.filter(({ startedAt }) => startedAt >= instant).length;
  }

  /** The rows of what began since then, in their order, block by block: what was unpacked for one goes before the next. */
  async rowsSince(instant: number, needs: Needs | null): Promise<SealedRow[]> {
    this.#cut();
    const hits = this.#hits.filter(({ startedAt }) => startedAt >= instant);
    const rows = new Array<SealedRow | undefined>(hits.length);
    const places = hits.map((hit, place) => ({ ...hit, place }));
    const ofBlocks = Map.groupBy(places, ({ key }) => key);
    const makeAll = (key: BlockKey, block: Block) => {
      for (const { row, place, id } of ofBlocks.get(key) ?? []) rows[place] = block.rowAt(row, needs, id);
    };
    const packed: BlockKey[] = [];
    for (const key of ofBlocks.keys()) {
      const block = this.#unpacked.get(nameOfBlock(key));
      if (block) makeAll(key, block);
      else packed.push(key);
      this.#unpacked.delete(nameOfBlock(key));
    }
    this.#unpacked.clear();
    for (let at = 0; at < packed.length; at += MADE_AT_ONCE)
      await inLane(async () => {
        for await (const { key, block } of openBlocks(packed.slice(at, at + MADE_AT_ONCE))) makeAll(key, block);
      });
    // One whose block is past its retention meanwhile is gone.
    return rows.filter((row) => row !== undefined);
  }

  #cut(): void {
    if (this.#isCut) return;
    this.#hits = this.#hits.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1)).slice(0, this.#limit);
    if (this.#hits.length === this.#limit) this.#since = this.#hits.at(-1)?.startedAt ?? this.#since;
    this.#isCut = true;
  }
}

/** Blocks that are unpacked again in one go; then others get their turn. */
const MADE_AT_ONCE = 16;

/** The newest so many of these rows, and all that began in the same ms as the last of them. */
function newestRows(rows: number[], instants: readonly number[], count: number): number[] {
  if (rows.length <= count) return rows;
  const times = rows.map((row) => instants[row] as number).sort((a, b) => b - a);
  const last = times[count - 1] as number;
  return rows.filter((row) => (instants[row] as number) >= last);
}

/** The rows of a block that match, of those that began at an instant or later. */
type Matcher = (block: Block, since: number) => number[];

function matcherOf({ vantageIds, variant, mainId, from, to }: SealedFilter, after: Cursor | null): Matcher {
  const vantages = vantageIds && new Set<unknown>(vantageIds);
  return (block, since) => {
    const least = Math.max(since, from ?? Number.NEGATIVE_INFINITY);
    const cellsOf = (name: string, isAsked: boolean) => (isAsked ? block.cells(name) : null);
    const vantageOf = cellsOf('vantage_id', vantages !== null);
    const variantOf = cellsOf('variant', variant !== null);
    const mainOf = cellsOf('main_id', mainId !== null);
    const rows: number[] = [];
    block.instants.forEach((startedAt, row) => {
      if (startedAt < least) return;
      if (to !== null && startedAt >= to) return;
      if (after !== null && startedAt > after.startedAt) return;
      if (vantageOf && !vantages?.has(vantageOf[row])) return;
      if (variantOf && (variantOf[row] ?? 0) !== variant) return;
      if (mainOf && mainOf[row] !== mainId) return;
      if (after === null || startedAt < after.startedAt || block.idAt(row) < after.id) rows.push(row);
    });
    return rows;
  };
}

/** The next blocks of a day, by their last results, newest first. */
async function pageOf(
  { targetIds, vantageIds, variant, from }: SealedFilter,
  { day, newest, behind, atOnce }: { day: number; newest: number; behind: Page['last']; atOnce: number },
): Promise<Page> {
  const { rows } = await getPool().query<StoredBlock & BlockKey & { last_at: Date }>(
    `select target_id, first_at, first_id, last_at, codec, ids, data from result_block
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
  return { blocks: rows, last: last && rows.length === atOnce ? { at: last.last_at, id: last.first_id } : null };
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
