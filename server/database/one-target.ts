/**
 * A table that is cut by target, or what stands for it, as FROM takes it before an alias, where only rows of these targets are
 * asked for. Of a single target a subquery of its rows alone: a cluster then asks its shard and no other, whatever the
 * statement joins, and PostgreSQL plans as without. The target becomes the last of `values`.
 */
export function rowsOf(table: string, targetIds: Iterable<string>, values: unknown[]): string {
  const [only, ...others] = new Set(targetIds);
  return only === undefined || others.length > 0
    ? table
    : `(select * from ${table} where target_id = $${values.push(only)})`;
}
