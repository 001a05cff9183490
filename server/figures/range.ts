import { MAX_RANGE_DAYS } from '#contract/query.ts';
import { getPool } from '#server/database/database.ts';
import { readSetting } from '#server/database/settings.ts';
import { invalidField } from '#server/environment/errors.ts';
import { holdImported, type Places } from '#server/vantages/labels.ts';

const MINUTE = 60;
const DAY = 86_400;

/** A half-open range of whole minutes, in seconds since 1970. */
export type Range = { from: number; to: number };

/**
 * The range to answer for: the 24 hours before now where left out, `from` rounded down and `to` up to the minute.
 * `names` are the parameters to blame in an `invalid` error.
 */
export function resolveRange(
  given: { from?: string | undefined; to?: string | undefined },
  names = { from: 'from', to: 'to' },
): Range {
  const to = Math.ceil(seconds(given.to, names.to, Date.now() / 1_000) / MINUTE) * MINUTE;
  const from = Math.floor(seconds(given.from, names.from, to - DAY) / MINUTE) * MINUTE;
  if (from >= to) throw invalidField(names.from, `must be before ${names.to}${given.to ? '' : ', which is now'}`);
  if (to - from > MAX_RANGE_DAYS * DAY) throw invalidField(names.from, `is more than ${MAX_RANGE_DAYS} days back`);
  return { from, to };
}

function seconds(instant: string | undefined, name: string, fallback: number): number {
  if (instant === undefined) return fallback;
  const value = Date.parse(instant) / 1_000;
  // An int4 of seconds ends in 2038; also refuses what Date cannot read.
  if (!(value >= 0 && value < 2_145_916_800)) throw invalidField(name, 'is not a time between 1970 and 2038');
  return value;
}

/** Seconds since 1970 as RFC 3339. */
export function instantOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** Up to when what is asked for of a target was generated and not measured (RFC 3339); null where all was measured. */
export async function generatedUntil(target: { demo: boolean }, range: { from: number }): Promise<string | null> {
  if (!target.demo) return null;
  const past = await readSetting('demo_past');
  return past && range.from < past.to ? instantOf(past.to) : null;
}

/** The newest imported result of targets in a range at the most (RFC 3339), by id: of a range that ends within what was imported its end, as a gap is not known. */
export async function importedUntilOf(targetIds: readonly string[], range: Range): Promise<Map<string, string>> {
  const { rows } = await getPool().query<{ id: string; until: Date }>(
    `select id, least(imported_until, to_timestamp($3)) as until from target
      where id = any($1::uuid[]) and imported_until >= to_timestamp($2) and imported_from < to_timestamp($3)`,
    [targetIds, range.from, range.to],
  );
  return new Map(rows.map(({ id, until }) => [id, until.toISOString()]));
}

/** The same of one target at some places; null where nothing of the range was imported, or none of the places is an imported one. */
export async function importedUntil({ id }: { id: string }, range: Range, places: Places): Promise<string | null> {
  return holdImported(places) ? ((await importedUntilOf([id], range)).get(id) ?? null) : null;
}
