import type pg from 'pg';
import { DISTRIBUTION, DISTRIBUTION_COLUMN } from '#server/database/distribution.ts';

/** What of a schema Citus refuses to distribute, and tables of which nobody said where they are to be. */
export async function schemaFaults(
  db: Pick<pg.Pool, 'query'>,
  placed: Record<string, 'target' | 'everywhere' | 'coordinator'> = DISTRIBUTION,
): Promise<string[]> {
  const tables = Object.entries(placed).flatMap(([name, place]) => (place === 'target' ? [name] : []));
  const faults = [
    ask(
      `select format('%s is not in DISTRIBUTION', relname) as fault from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and relname <> '_prisma_migrations' and relname <> all($1)`,
      [Object.keys(placed)],
    ),
    ask(
      `select format('%s is in DISTRIBUTION and not there', name) as fault from unnest($1::text[]) as name
        where to_regclass(quote_ident(name)) is null`,
      [Object.keys(placed)],
    ),
    ask(
      `select format('unique index %s without %s', indexrelid::regclass, $2::text) as fault from pg_index
        where (indisunique or indisexclusion) and indrelid = any(${OIDS}) and not exists (
          select from pg_attribute where attrelid = indrelid and attname = $2 and attnum = any(indkey))`,
      [tables, DISTRIBUTION_COLUMN],
    ),
    ask(
      `select format('foreign key %s of %s', conname, conrelid::regclass) as fault from pg_constraint
        where contype = 'f' and (conrelid = any(${OIDS}) or confrelid = any(${OIDS}))`,
      [tables],
    ),
    ask(
      `select format('trigger %s of %s', tgname, tgrelid::regclass) as fault from pg_trigger
        where not tgisinternal and tgrelid = any(${OIDS})`,
      [tables],
    ),
  ];
  return (await Promise.all(faults)).flat().sort();

  async function ask(text: string, values: unknown[]): Promise<string[]> {
    const { rows } = await db.query<{ fault: string }>(text, values);
    return rows.map(({ fault }) => fault);
  }
}

const OIDS = `array(select to_regclass(name)::oid from unnest($1::text[]) as name)`;
