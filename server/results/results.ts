import type { ResultPage } from '#contract/operations/results.ts';
import type { ResultsQuery } from '#contract/query.ts';
import type { Result } from '#contract/result.ts';
import type { Variant } from '#contract/vocabulary.ts';
import type { Viewer } from '#server/access/secret-settings.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { inLane } from '#server/database/lane.ts';
import { notFound } from '#server/environment/errors.ts';
import { measuringVantages } from '#server/vantages/labels.ts';
import type { ResultRow } from './columns.ts';
import { decodeCursor, encodeCursor, startOfInstant } from './cursor.ts';
import { DECODED_AT_ONCE, decodeRows } from './decode.ts';
import { findRow, findRows, followSpan, resolveFilter } from './filter.ts';
import { searchRows } from './search.ts';

// Results as they are stored, and the way back. The life of a batch: server/ingest judges what a prober sent and hands over
// what is in order; insert.ts stores it in one transaction: each Result becomes a row of `result` (columns.ts, in COPY's binary
// form of copy-writer.ts) and, where it has any, a row of evidence (evidence.ts); strings and certificates are stored once and
// rows name them by id (lookup.ts, certificates.ts); and the minutes that it falls in are marked for server/rollups. What a
// Result is made of and where each field of it is kept is said once, in columns.ts: the order of COPY, the way back and the CSV
// follow.
//
// The way back: filter.ts looks up what a query names, search.ts finds the rows, newest first and window by window where few
// match, and decode.ts makes Results of them: a page, one, or a run of them here, an export in stream.ts (csv.ts).
// Days that are over are sealed (server/blocks): filter.ts and search.ts look for rows and for what is sealed, and both are
// decoded alike. Retention drops days of results whole (server/database/partitions.ts); nothing changes a result.

/**
 * A page of results, newest first. Throws `not_found` for an unknown target and `invalid` for a cursor that is not ours.
 * A search that took too long ends early: the page is short, `searchedUntil` says how far it came, and its cursor goes on
 * from there. Results that arrive while somebody pages shift nothing: a cursor is a place in the order, not a count.
 */
export async function listResults(query: ResultsQuery, viewer: Viewer = 'reader'): Promise<ResultPage> {
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  const filter = await resolveFilter(query);
  const { rows, searchedUntil } = await searchRows(filter, after, query.limit + 1);
  const shown = rows.slice(0, query.limit);
  const data = await decodeInTurns(shown, viewer);
  if (searchedUntil !== null) {
    const nextCursor = encodeCursor(startOfInstant(searchedUntil));
    return { data, nextCursor, searchedUntil: new Date(searchedUntil).toISOString() };
  }
  const last = shown.at(-1);
  const more = rows.length > query.limit && last;
  return {
    data,
    nextCursor: more ? encodeCursor({ startedAt: last.started_at.getTime(), id: last.id }) : null,
    searchedUntil: null,
  };
}

/** Some hundred at a time: others get their turn in between. */
async function decodeInTurns(rows: ResultRow[], viewer: Viewer = 'reader'): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < rows.length; first += DECODED_AT_ONCE)
    results.push(...(await inLane(() => decodeRows(rows.slice(first, first + DECODED_AT_ONCE), viewer))));
  return results;
}

/** The newest results of a target in [from, to), seconds since 1970: rows and sealed ones, of every variant. What was imported is left out. */
export async function findResults(
  targetId: string,
  { from, to }: { from: number; to: number },
  limit: number,
): Promise<Result[]> {
  const [fromText, toText] = [from, to].map((each) => new Date(each * 1_000).toISOString()) as [string, string];
  const vantageIds = await measuringIds();
  const asked = { ids: null, targetIds: [targetId], vantageIds, ok: null, variant: null, mainId: null };
  const { rows } = await searchRows({ ...asked, from: fromText, to: toText }, null, limit);
  return await decodeInTurns(rows);
}

async function measuringIds(): Promise<string[] | null> {
  const measuring = await measuringVantages();
  return measuring && [...measuring];
}

/**
 * The newest results of a target and variant in [from, to), ms since 1970, that succeeded: rows and sealed ones, without what was
 * imported. Looks to the end.
 */
export async function variantResults(
  targetId: string,
  variant: Variant,
  { from, to }: { from: number; to: number },
  limit: number,
): Promise<Result[]> {
  const [fromText, toText] = [from, to].map((each) => new Date(each).toISOString()) as [string, string];
  const main = { ids: null, targetIds: [targetId], vantageIds: await measuringIds(), mainId: null };
  const asked = { ...main, ok: true, variant: VARIANT_CODES[variant] };
  const { rows } = await searchRows({ ...asked, from: fromText, to: toText }, null, limit, Number.POSITIVE_INFINITY);
  return await decodeInTurns(rows);
}

/** One result with all its evidence, as the viewer may see it. Throws `not_found`. */
export async function getResult(id: string, viewer: Viewer = 'reader'): Promise<Result> {
  const row = await findRow(id);
  const [result] = await decodeRows(row ? [row] : [], viewer);
  if (!result) throw notFound('result', id);
  return result;
}

/** The same with the ids of the results that followed it, where any did. Throws `not_found`. */
export async function getResultAndFollowers(
  id: string,
  viewer: Viewer = 'reader',
): Promise<Result & { followers?: string[] }> {
  const [result, followers] = await Promise.all([getResult(id, viewer), followersOf(id)]);
  return followers.length === 0 ? result : { ...result, followers };
}

/** A result with the others of its run, itself among them: the main one first, then its followers in their order. */
export async function getRun(result: Result): Promise<Result[]> {
  const mainId = result.mainId ?? result.id;
  const ids = [mainId, ...(await followersOf(mainId))];
  // The main one may be past its retention, or never have been accepted.
  const others = await decodeRows(await findRows(ids.filter((id) => id !== result.id)), 'reader');
  return [...others, result].toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** More than a run ever has. */
const MAX_FOLLOWERS = 1_000;

/** Ids of the results that followed a main one, in the order in which they ran. */
async function followersOf(mainId: string): Promise<string[]> {
  const span = await followSpan(mainId);
  if (span === null) return [];
  const filter = { ids: null, targetIds: [span.targetId], vantageIds: null, ok: null, variant: null, mainId };
  const of = { ...filter, from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() };
  // To its end, however long that takes: these are a few minutes of one target.
  const { rows } = await searchRows(of, null, MAX_FOLLOWERS, Number.POSITIVE_INFINITY);
  return rows.map((row) => row.id).reverse();
}
