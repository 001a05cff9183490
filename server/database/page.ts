import type { Page } from '#contract/problem.ts';
import type { PageQuery } from '#contract/query.ts';
import { invalidField } from '#server/environment/errors.ts';

/** Where a list of rows in the order of their ids goes on: after the row that a cursor names. */
export type PageRange = { take: number; after: string | undefined };

/** One row more than asked for tells whether there is a next page. Throws `invalid` for a made-up cursor. */
export function pageRange(query: PageQuery): PageRange {
  return { take: query.limit + 1, after: query.cursor === undefined ? undefined : decodeCursor(query.cursor) };
}

/** The condition of a query that may ask for one name. */
export const named = ({ name }: { name?: string | undefined }): { name?: string } =>
  name === undefined ? {} : { name };

/** Cuts the row too many off and makes the cursor. Ids are UUIDv7, so their order is the order of creation. */
export function pageOfRows<R extends { id: string }, T>(rows: R[], query: PageQuery, present: (row: R) => T): Page<T> {
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    data: shown.map(present),
    nextCursor:
      rows.length > query.limit && last ? Buffer.from(last.id.replaceAll('-', ''), 'hex').toString('base64url') : null,
  };
}

function decodeCursor(cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const hex = bytes.toString('hex');
  if (bytes.toString('base64url') !== cursor || !/^[0-9a-f]{12}7[0-9a-f]{19}$/.test(hex)) {
    throw invalidField('cursor', 'is not one that this list gave');
  }
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
