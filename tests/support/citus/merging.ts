import { as, columnOf, list, nodesOfLevel, type Tree, textOf } from './sql.ts';

/** What of a query can only be said once all shards have answered; nothing where each shard's own answer is right. */
export function mergeReasons(select: Tree, key: string): string[] {
  const grouped = list(select.groupClause);
  const groupsByKey = grouped.some((each) => isColumn(each, select, key));
  const distinct = list(select.distinctClause);
  // DISTINCT without ON is an empty node, and means all columns.
  const distinctOn = distinct.filter((each) => Object.keys(each as object).length > 0);
  const onKey =
    distinctOn.length > 0
      ? distinctOn.some((each) => isColumn(each, select, key))
      : list(select.targetList).some((each) => columnOf(as(each, 'ResTarget')?.val)?.at(-1) === key);
  const calls = callsOf(select);
  const reasons: [string, boolean][] = [
    ['OFFSET', Boolean(select.limitOffset)],
    ['LIMIT', Boolean(select.limitCount)],
    [`GROUP BY without ${key}`, grouped.length > 0 && !groupsByKey],
    ['an aggregate without GROUP BY', grouped.length === 0 && calls.some(isAggregate)],
    ['HAVING without GROUP BY', grouped.length === 0 && Boolean(select.havingClause)],
    [`DISTINCT without ${key}`, distinct.length > 0 && !onKey],
    [`a window without PARTITION BY ${key}`, calls.some((call) => call.over && !isPartitioned(call, select, key))],
  ];
  return reasons.flatMap(([reason, holds]) => (holds ? [reason] : []));
}

/** Whether PostgreSQL merges such a subquery into the query around it, as if it were not there. */
export function isMerged(select: Tree): boolean {
  const ends = [select.groupClause, select.distinctClause, select.sortClause, select.lockingClause].flatMap(list);
  const stops = [select.limitCount, select.limitOffset, select.havingClause, select.withClause];
  const computes = callsOf(select).some((call) => call.over || isAggregate(call));
  return select.op === 'SETOP_NONE' && ends.length === 0 && !stops.some(Boolean) && !computes;
}

function callsOf(select: Tree): Tree[] {
  const own = [...nodesOfLevel([select.targetList, select.havingClause, select.sortClause])];
  return own.flatMap(([type, fields]) => (type === 'FuncCall' ? [fields] : []));
}

const isAggregate = (call: Tree) =>
  !call.over && (call.agg_within_group === true || AGGREGATES.has(textOf(list(call.funcname).at(-1))));

const AGGREGATES = new Set(
  `array_agg avg bit_and bit_or bit_xor bool_and bool_or count every json_agg json_object_agg jsonb_agg jsonb_object_agg max
  min range_agg stddev stddev_pop stddev_samp string_agg sum variance var_pop var_samp`.split(/\s+/),
);

function isPartitioned(call: Tree, select: Tree, key: string): boolean {
  const { name, partitionClause } = call.over as Tree;
  const named = list(select.windowClause).map((each) => as(each, 'WindowDef'));
  const clause = name ? named.find((each) => each?.name === name)?.partitionClause : partitionClause;
  return list(clause).some((each) => isColumn(each, select, key));
}

/** A column by its name, or by its place in the list of what is selected. */
function isColumn(node: unknown, select: Tree, key: string): boolean {
  const place = (as(node, 'A_Const')?.ival as { ival?: number } | undefined)?.ival;
  const column = place ? as(list(select.targetList)[place - 1], 'ResTarget')?.val : node;
  return columnOf(column)?.at(-1) === key;
}
