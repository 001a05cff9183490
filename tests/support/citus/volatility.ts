import type pg from 'pg';
import { as, list, nodesIn, textOf } from './sql.ts';

// Functions that are not immutable, by name and number of arguments: `concat_ws/*` takes any number. Where of one name and number
// some are immutable and some are not (generate_series of numbers and of instants), it depends on types that no text says: these are
// left out.

/** The functions of PostgreSQL itself that are not immutable, as `name/arguments`, read from its catalog. */
export async function mutableFunctions(db: Pick<pg.Client, 'query'>): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select proname || '/' || case when provariadic = 0 then n::text else '*' end as name
      from pg_proc, generate_series((pronargs - pronargdefaults)::int, pronargs) as n
      where pronamespace = 'pg_catalog'::regnamespace and prokind = 'f' and proname !~ '^(pg_|binary_|has_|txid_)'
        and not proargtypes::oid[] && array['cstring', 'internal']::regtype[]::oid[]
      group by 1 having bool_and(provolatile <> 'i') order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The names of the calls of an expression that are not immutable. */
export function mutableCalls(expression: unknown, mutable: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const [type, fields] of nodesIn(expression, () => true)) {
    if (type === 'SQLValueFunction') found.add('the clock or the session');
    const name = as({ [type]: fields }, 'FuncCall') ? textOf(list(fields.funcname).at(-1)) : '';
    if (mutable.has(`${name}/${list(fields.args).length}`) || mutable.has(`${name}/*`)) found.add(name);
  }
  return [...found];
}
