import type { Needs } from '#server/blocks/pack.ts';
import { newestSealed, type Scanned } from '#server/blocks/scan.ts';
import { getPool } from '#server/database/database.ts';
import { inLane } from '#server/database/lane.ts';
import type { ResultRow } from './columns.ts';
import { LEAST_ID } from './cursor.ts';
import { type Filter, findRows, type Position, selectRows, wholeRow } from './filter.ts';

// A filter may match one result in a million, or none, and no index serves them all. So what a filter matches is looked for
// window by window, back from the newest, each window of so many results that it is read in some hundredths of a second; after
// SEARCH_MS, or SEARCH_BYTES of results looked at, the search stops where it is and says so; a caller that wants
// more goes on from there. Every window takes its turn in the lane of heavy reads (server/database/lane.ts).

/** One request searches about so long, ms; a window that has begun is finished. */
export const SEARCH_MS = 150;
/** So many times as long where days are so small that not even a window's bytes were looked at: each costs a statement. */
const PATIENCE = 4;
/** A window holds about so many bytes of results: 10,000 of them; after one that was read at once, up to four times as many. */
const WINDOW_BYTES = 4_000_000;
/** One request looks at about so many bytes of results: 100,000 of them. */
export const SEARCH_BYTES = 40_000_000;
/**
 * Along the order's own index each target gives as many as are asked for; where all together are more, by windows too, which also
 * spares the planner the days that are not needed.
 */
const MOST_DIRECT = 5_000;
/** Failed results have an index of their own, in which also vantages are told apart. */
const FAILED_FACTOR = 20;
const SHORTEST_WINDOW_MS = 60_000;
/** A window that took longer is followed by one of a quarter of its length, and so on down; one that took less, by one of twice. */
const SLOW_WINDOW_MS = 60;
const FAST_WINDOW_MS = 15;
const LONGEST_STRETCH = 4;

/** `searchedUntil`: nothing before this instant (whole ms since 1970) was looked at; null where all was. */
export type Found = { rows: ResultRow[]; searchedUntil: number | null };

/**
 * The next results after a position, newest first, rows and sealed ones together: at most `limit`, fewer where the search took
 * too long. Rows are whole, or have what is needed alone.
 */
export async function searchRows(
  filter: Filter,
  after: Position | null,
  limit: number,
  searchMs = SEARCH_MS,
  needs: Needs | null = null,
): Promise<Found> {
  const { ids } = filter;
  if (ids !== null) {
    const rows = await inLane(() => findRows(ids));
    return { rows: newestFirst(rows.filter(matcherOf(filter, after))).slice(0, limit), searchedUntil: null };
  }
  const giveUpAt = performance.now() + searchMs;
  // Rows first: what is sealed meanwhile is then found twice rather than never.
  const found = await searchUnsealed(filter, after, limit, searchMs, needs);
  if (filter.ok === false) return found;
  const last = found.rows.length >= limit ? found.rows.at(-1)?.started_at.getTime() : undefined;
  const from = Math.max(last ?? 0, found.searchedUntil ?? 0, filter.from === null ? 0 : wholeMs(filter.from));
  const asked = { ...filter, from, to: filter.to === null ? null : wholeMs(filter.to) };
  const sealed = await newestSealed(asked, after, limit, giveUpAt, needs);
  return joined(found, sealed, limit, needs);
}

/** The first ms that is not before an instant, whose fraction may be finer: results begin at whole ms. */
const wholeMs = (instant: string) => Date.parse(instant) + (/\.\d{3}\d*[1-9]/.test(instant) ? 1 : 0);

/** Newest first, each once; nothing from before where either search stopped. */
function joined(found: Found, sealed: Scanned, limit: number, needs: Needs | null): Found {
  if (sealed.rows.length === 0 && sealed.searchedUntil === null) return found;
  // What is needed alone is there in each row, be it null.
  const ofBlocks = needs ? (sealed.rows as unknown[] as ResultRow[]) : sealed.rows.map((row) => wholeRow(row));
  if (found.rows.length === 0 && found.searchedUntil === null)
    return { rows: ofBlocks, searchedUntil: ofBlocks.length >= limit ? null : sealed.searchedUntil };
  const known = new Set(found.rows.map(({ id }) => id));
  const rows = [...found.rows, ...ofBlocks.filter(({ id }) => !known.has(id))];
  const until = Math.max(found.searchedUntil ?? 0, sealed.searchedUntil ?? 0);
  const newest = newestFirst(rows.filter(({ started_at }) => started_at.getTime() >= until));
  if (newest.length >= limit) return { rows: newest.slice(0, limit), searchedUntil: null };
  return { rows: newest, searchedUntil: until === 0 ? null : until };
}

const newestFirst = (rows: ResultRow[]) =>
  rows.sort((a, b) => b.started_at.getTime() - a.started_at.getTime() || (a.id < b.id ? 1 : -1));

/** Whether a row that was found by its id is one that the rest of a filter asks for, and behind a position. */
function matcherOf({ targetIds, vantageIds, ok, variant, mainId, from, to }: Filter, after: Position | null) {
  const [least, end] = [from === null ? 0 : wholeMs(from), to === null ? Infinity : wholeMs(to)];
  return (row: ResultRow): boolean => {
    const at = row.started_at.getTime();
    return (
      targetIds.includes(row.target_id) &&
      (vantageIds?.includes(row.vantage_id) ?? true) &&
      (ok === null || row.ok === ok) &&
      (variant === null || (row.variant ?? 0) === variant) &&
      (mainId === null || row.main_id === mainId.toLowerCase()) &&
      at >= least &&
      at < end &&
      (after === null || at < after.startedAt || (at === after.startedAt && row.id < after.id))
    );
  };
}

async function searchUnsealed(
  filter: Filter,
  after: Position | null,
  limit: number,
  searchMs: number,
  needs: Needs | null,
): Promise<Found> {
  if (!isSelective(filter) && isFew(filter, limit))
    return { rows: await inLane(() => selectRows(filter, after, limit, needs)), searchedUntil: null };
  const began = performance.now();
  const rows: ResultRow[] = [];
  let stretch = 1;
  let looked = 0;
  for (let window of await daysOf(filter, after)) {
    while (window.from < window.to) {
      if (rows.length >= limit) return { rows, searchedUntil: null };
      // One window at the least: a caller that goes on comes to an end.
      const patience = looked < WINDOW_BYTES ? PATIENCE * searchMs : searchMs;
      const isSpent = performance.now() - began > patience || looked >= SEARCH_BYTES;
      if (looked > 0 && isSpent) return { rows, searchedUntil: window.to };
      const lengthMs = Math.max(Math.floor(window.step * stretch), SHORTEST_WINDOW_MS);
      const from = Math.max(window.from, window.to - lengthMs);
      looked += Math.max(1, ((window.to - from) / window.step) * window.bytes);
      const part = { ...filter, from: instantOf(from), to: instantOf(window.to) };
      const { found, tookMs } = await inLane(async () => {
        const started = performance.now();
        const found = await selectRows(part, after, limit - rows.length, needs);
        return { found, tookMs: performance.now() - started };
      });
      rows.push(...found);
      if (tookMs > SLOW_WINDOW_MS) stretch /= 4;
      else if (tookMs < FAST_WINDOW_MS) stretch = Math.min(LONGEST_STRETCH, stretch * 2);
      window = { ...window, to: from };
    }
  }
  return { rows, searchedUntil: null };
}

/** Whether a filter leaves out what the order's own index would give it. */
const isSelective = ({ ok, vantageIds, variant, mainId }: Filter) =>
  mainId === null && (ok !== null || vantageIds !== null || variant !== null);

const isFew = ({ mainId, targetIds }: Filter, limit: number) =>
  mainId !== null || targetIds.length * limit <= MOST_DIRECT;

/** The stored days that a filter and a position leave, newest first; a window is `step` long and of so many `bytes`. In ms. */
type Day = { from: number; to: number; step: number; bytes: number };

async function daysOf({ from, to, ok, variant }: Filter, after: Position | null): Promise<Day[]> {
  const { rows } = await getPool().query<{ from: number; bytes: number }>(
    `select extract(epoch from to_timestamp(right(relname, 8) || '+00', 'YYYYMMDDTZH'))::float8 * 1000 as from,
        pg_relation_size(oid)::float8 as bytes
      from pg_inherits join pg_class on oid = inhrelid where inhparent = 'result'::regclass and relname ~ '_p\\d{8}$'
      order by relname desc`,
  );
  const oldest = from === null ? Number.NEGATIVE_INFINITY : Date.parse(from);
  // Others may have begun in the same millisecond.
  const behind = after === null ? Infinity : after.startedAt + (after.id === LEAST_ID ? 0 : 1);
  const newest = Math.min(to === null ? Infinity : Date.parse(to), behind);
  const room = ok === false && variant === null ? WINDOW_BYTES * FAILED_FACTOR : WINDOW_BYTES;
  return rows.flatMap((day) => {
    // Of today only what has been is filled.
    const filled = Math.max(SHORTEST_WINDOW_MS, Math.min(DAY_MS, Date.now() - day.from));
    const step = day.bytes === 0 ? DAY_MS : Math.min(DAY_MS, (filled * room) / day.bytes);
    const span = {
      from: Math.max(day.from, oldest),
      to: Math.min(day.from + DAY_MS, newest),
      step,
      bytes: Math.min(day.bytes, WINDOW_BYTES),
    };
    return span.from < span.to ? [span] : [];
  });
}

const DAY_MS = 86_400_000;
const instantOf = (ms: number) => new Date(ms).toISOString();
