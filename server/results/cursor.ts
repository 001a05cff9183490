import { z } from 'zod';
import { invalidField } from '#server/environment/errors.ts';
import type { Position } from './filter.ts';

const Encoded = z.tuple([z.number().int().min(0).max(8_000_000_000_000), z.uuid()]);

/** No id comes before it. */
export const LEAST_ID = '00000000-0000-0000-0000-000000000000';

/** The position behind everything that began at or after `startedAt`, ms since 1970. */
export const startOfInstant = (startedAt: number): Position => ({ startedAt, id: LEAST_ID });

/** A position as the opaque text of `nextCursor`. */
export function encodeCursor({ startedAt, id }: Position): string {
  return Buffer.from(JSON.stringify([startedAt, id])).toString('base64url');
}

/** The position of a cursor that `encodeCursor` made; `invalid` for any other. */
export function decodeCursor(cursor: string): Position {
  const parsed = Encoded.safeParse(jsonOf(Buffer.from(cursor, 'base64url').toString()));
  const position = parsed.data && { startedAt: parsed.data[0], id: parsed.data[1] };
  if (!position || encodeCursor(position) !== cursor) throw invalidField('cursor', 'is not one that this list gave');
  return position;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
