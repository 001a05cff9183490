import type { ClientBase } from 'pg';

/** These tables in an order in which each comes after those that its rows name. */
export async function inOrder(client: ClientBase, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ table: string; names: string }>(
    `select child.relname::text as table, parent.relname::text as names from pg_constraint
        join pg_class child on child.oid = conrelid join pg_class parent on parent.oid = confrelid
      where contype = 'f' and conrelid <> confrelid and child.relnamespace = current_schema()::regnamespace`,
  );
  const named = Map.groupBy(rows, ({ table }) => table);
  const order = new Set<string>();
  const add = (table: string): void => {
    if (order.has(table)) return;
    for (const { names } of named.get(table) ?? []) if (tables.includes(names)) add(names);
    order.add(table);
  };
  tables.forEach(add);
  return [...order];
}
