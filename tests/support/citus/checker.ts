import { loadModule, parseSync } from 'libpg-query';
import { isMerged, mergeReasons } from './merging.ts';
import { as, columnOf, conjuncts, equation, list, nodesOfLevel, type Tree, textOf } from './sql.ts';
import { mutableCalls } from './volatility.ts';

// What Citus refuses, or carries out by copying a whole table, read from the text of a statement as Citus 13 reads it
// (query_pushdown_planning.c): a query goes to the shards as it is where its tables are joined by target, and where no part of
// it that has to see all shards hangs on rows that are the same everywhere. Those are «recurring»: of tables that are
// everywhere, functions, lists of values, CTEs, and subqueries that were carried out before. What asks for one target by a
// value is carried out on its node, whatever it says.

// The first statement may come before the parser is there.
await loadModule();

/** Tables by name: whether it is cut by target, and its columns. */
export type Tables = ReadonlyMap<string, { distributed: boolean; columns: ReadonlySet<string> }>;
/** `mutable`: functions that are not immutable, as volatility.ts names them. */
export type Catalog = { tables: Tables; mutable: ReadonlySet<string> };
/** What a statement asks of the shards: `refused`: why Citus would not take it; `shards`: of one target, of all, or of none. */
export type Asked = { refused: string[]; shards: 'none' | 'one' | 'all' };

const KEY = 'target_id';

/** What a text of one or several statements asks of the shards, of all of them together. Throws what PostgreSQL's parser says. */
export function readText(text: string, catalog: Catalog): Asked {
  const refused = new Set<string>();
  let shards: Asked['shards'] = 'none';
  for (const { stmt } of list(parseSync(text).stmts) as { stmt: unknown }[]) {
    const asked = new Checker(catalog).check(stmt);
    for (const reason of asked.refused) refused.add(reason);
    if (shards !== 'all' && asked.shards !== 'none') shards = asked.shards;
  }
  return { refused: [...refused], shards };
}

/** Why Citus would not take a text of one or several statements; empty where it would. Throws what PostgreSQL's parser says. */
export const refusals = (text: string, catalog: Catalog): string[] => readText(text, catalog).refused;

/** What stands in FROM. `select`: of a subquery, with the items in it; `outer`: what it refers to of the queries around it. */
type Item = {
  id: number;
  alias: string;
  columns: ReadonlySet<string> | null;
  recurring: boolean;
  select: Tree | null;
  inner: Item[];
  outer: ReadonlySet<Item>;
};
/** A query and the ones around it. */
type Level = { items: Item[]; parent: Level | null; outer: Set<Item>; ctes: Set<string>; sides: Level[] };
/** What is sent to the shards as one: its distributed tables, and what is said against it unless it is of one target. */
type Unit = { tables: Item[]; against: string[] };

class Checker {
  readonly #catalog: Catalog;
  readonly #found: string[] = [];
  readonly #equal = new Classes();
  #items = 0;
  #shards: Asked['shards'] = 'none';

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  check(statement: unknown): Asked {
    this.#statement(statement, null);
    return { refused: this.#found, shards: this.#shards };
  }

  #statement(node: unknown, parent: Level | null): void {
    const select = as(node, 'SelectStmt');
    const changed = as(node, 'InsertStmt') ?? as(node, 'UpdateStmt') ?? as(node, 'DeleteStmt');
    const unit: Unit = { tables: [], against: [] };
    if (select) this.#query(select, parent, unit);
    else if (changed) this.#change(changed, parent, unit, as(node, 'InsertStmt') !== null);
    this.#close(unit);
  }

  /** What was said against a unit stands, unless all of its tables are asked for one target. */
  #close({ tables, against }: Unit): void {
    const classes = new Set(tables.map((item) => this.#equal.of(keyOf(item, KEY))));
    const isOfOne = classes.size === 1 && [...classes].every((each) => this.#equal.hasValue(each));
    if (tables.length > 0) this.#shards = isOfOne && this.#shards !== 'all' ? 'one' : 'all';
    if ([...classes].every((each) => this.#equal.hasValue(each))) return;
    if (classes.size > 1) against.push(`${names(tables)} are not joined by ${KEY}`);
    this.#found.push(...against);
  }

  #change(change: Tree, parent: Level | null, unit: Unit, isInsert: boolean): void {
    const level = this.#begin(change, parent);
    const table = change.relation as Tree;
    const target = this.#tableItem(table, level);
    const assigned = list(isInsert ? change.cols : change.targetList).map((each) => as(each, 'ResTarget')?.name);
    if (!target.recurring) {
      // Without a list of columns all are given.
      if (isInsert && assigned.length > 0 && !assigned.includes(KEY))
        this.#found.push(`a row of ${table.relname} is inserted without ${KEY}`);
      if (!isInsert && assigned.includes(KEY)) this.#found.push(`${KEY} of ${table.relname} is changed`);
      const conflict = list(((change.onConflictClause as Tree | undefined)?.infer as Tree | undefined)?.indexElems);
      if (conflict.length > 0 && !conflict.some((each) => as(each, 'IndexElem')?.name === KEY))
        this.#found.push(`a conflict in ${table.relname} is looked for without ${KEY}`);
    }
    if (isInsert) {
      const select = as(change.selectStmt, 'SelectStmt');
      if (select) this.#query(select, level, unit);
      return;
    }
    level.items.push(target);
    if (!target.recurring) unit.tables.push(target);
    for (const each of [...list(change.fromClause), ...list(change.usingClause)])
      level.items.push(...this.#from(each, level, unit));
    this.#conditions({ ...change, relation: null, fromClause: null, usingClause: null, withClause: null }, level, unit);
  }

  /** A level with the CTEs that its query begins with, each a unit of its own. */
  #begin(query: Tree, parent: Level | null): Level {
    const level: Level = { items: [], parent, outer: new Set(), ctes: new Set(parent?.ctes), sides: [] };
    const clause = query.withClause as Tree | undefined;
    for (const each of list(clause?.ctes)) {
      const cte = as(each, 'CommonTableExpr') as Tree;
      if (clause?.recursive) level.ctes.add(cte.ctename as string);
      this.#statement(cte.ctequery, level);
      level.ctes.add(cte.ctename as string);
    }
    return level;
  }

  /** One query: its level, once all in it is known. */
  #query(select: Tree, parent: Level | null, unit: Unit): Level {
    const level = this.#begin(select, parent);
    if (select.op !== 'SETOP_NONE') {
      level.sides = ([select.larg, select.rarg] as Tree[]).map((side) => this.#apart(side, level));
      return level;
    }
    for (const each of list(select.fromClause)) level.items.push(...this.#from(each, level, unit));
    this.#conditions({ ...select, fromClause: null, withClause: null }, level, unit);
    const hasShards = level.items.some(({ recurring }) => !recurring);
    if (hasShards && list(select.lockingClause).length > 0)
      unit.against.push('rows of more than one target are locked');
    if (hasShards && list(select.groupClause).some((each) => as(each, 'GroupingSet')))
      unit.against.push('grouping sets over more than one target');
    this.#lateral(level, unit);
    return level;
  }

  /** A query that is carried out before the one around it. */
  #apart(select: Tree, parent: Level): Level {
    const unit: Unit = { tables: [], against: [] };
    const level = this.#query(select, parent, unit);
    this.#close(unit);
    return level;
  }

  #from(node: unknown, level: Level, unit: Unit): Item[] {
    const join = as(node, 'JoinExpr');
    if (join) return this.#join(join, level, unit);
    const table = as(node, 'RangeVar');
    if (table) {
      const item = this.#tableItem(table, level);
      if (!item.recurring) unit.tables.push(item);
      return [item];
    }
    const subquery = as(node, 'RangeSubselect');
    if (subquery) return [this.#subquery(subquery, level, unit)];
    const call = as(node, 'RangeFunction');
    if (call && level.parent && this.#hangs(call.functions, level)) this.#immutable(call.functions, 'FROM', unit);
    const alias = (call?.alias ?? {}) as Tree;
    const named = list(alias.colnames).map(textOf);
    const columns = new Set(named.length > 0 ? named : [`${alias.aliasname}`]);
    return [this.#item({ alias: `${alias.aliasname ?? ''}`, columns, recurring: true })];
  }

  /** Whether an expression mentions what stands beside or around it: then it is not carried out before the query. */
  #hangs(expression: unknown, level: Level): boolean {
    return [...nodesOfLevel(expression)].some(
      ([type, fields]) => type === 'ColumnRef' && this.#resolve(columnOf({ ColumnRef: fields }) ?? [], level) !== null,
    );
  }

  /** What each shard computes must be the same on all. */
  #immutable(expression: unknown, where: string, unit: Unit): void {
    for (const name of mutableCalls(expression, this.#catalog.mutable))
      unit.against.push(`${name}, which is not immutable, in ${where}`);
  }

  #join(join: Tree, level: Level, unit: Unit): Item[] {
    const left = this.#from(join.larg, level, unit);
    // What stands to the right may be lateral to what stands to the left.
    const scope = { ...level, items: [...level.items, ...left] };
    const right = this.#from(join.rarg, scope, unit);
    const recurs = (items: Item[]) => items.every(({ recurring }) => recurring);
    const kept = { JOIN_LEFT: [left, right], JOIN_RIGHT: [right, left] }[`${join.jointype}`] ?? [];
    if (kept[0] && kept[1] && recurs(kept[0]) && !recurs(kept[1]))
      unit.against.push(`an outer join keeps ${names(kept[0])}, so all of ${names(kept[1])} is copied`);
    const inside = { ...level, items: [...level.items, ...left, ...right] };
    this.#equations(conjuncts(join.quals), inside);
    for (const column of list(join.usingClause).map(textOf))
      for (const a of left) for (const b of right) this.#equal.join(keyOf(a, column), keyOf(b, column));
    return [...left, ...right];
  }

  #tableItem(table: Tree, level: Level): Item {
    const name = `${table.relname}`;
    const known = level.ctes.has(name) ? undefined : this.#catalog.tables.get(name);
    const alias = `${((table.alias as Tree | undefined)?.aliasname as string | undefined) ?? name}`;
    return this.#item({ alias, columns: known?.columns ?? null, recurring: !known?.distributed });
  }

  #item(given: Pick<Item, 'alias' | 'columns' | 'recurring'> & Partial<Item>): Item {
    return { id: this.#items++, select: null, inner: [], outer: new Set(), ...given };
  }

  #subquery(node: Tree, level: Level, unit: Unit): Item {
    const select = as(node.subquery, 'SelectStmt') as Tree;
    const own: Unit = { tables: [], against: [] };
    // Without LATERAL it sees the queries around, and not what it stands beside.
    const inside = this.#query(select, node.lateral ? level : { ...level, items: [] }, own);
    if (inside.outer.size > 0) {
      if (list(select.valuesLists).length > 0) this.#immutable(select.valuesLists, 'VALUES', unit);
      else if (list(select.fromClause).length === 0)
        this.#immutable(select.targetList, 'a subquery without FROM', unit);
      for (const reason of setReasons(select, inside)) unit.against.push(reason);
    }
    // What hangs on the query around it goes with it; what has to see all shards, and does not, is carried out before.
    const apart = inside.outer.size === 0 && mergeReasons(select, KEY).length > 0;
    if (apart || (own.tables.length === 0 && inside.outer.size === 0)) this.#close(own);
    else {
      unit.tables.push(...own.tables);
      unit.against.push(...own.against);
    }
    const alias = `${(node.alias as Tree | undefined)?.aliasname ?? ''}`;
    const recurring = apart || own.tables.length === 0;
    const { items: inner, outer } = inside;
    const item = this.#item({ alias, columns: null, recurring, select, inner, outer });
    this.#outputs(item, select, inside);
    return item;
  }

  /** A column that a subquery gives is the one that it took. */
  #outputs(item: Item, select: Tree, inside: Level): void {
    for (const each of list(select.targetList)) {
      const { name, val } = as(each, 'ResTarget') ?? {};
      const column = columnOf(val);
      if (!column) {
        // A star.
        if (as(val, 'ColumnRef'))
          for (const inner of inside.items) this.#equal.join(keyOf(item, KEY), keyOf(inner, KEY));
        continue;
      }
      const from = this.#resolve(column, inside);
      if (from) this.#equal.join(keyOf(item, `${name ?? column.at(-1)}`), from);
    }
  }

  /** What is said of a level outside FROM: which columns are equal, what it refers to around it, and its sublinks. */
  #conditions(query: Tree, level: Level, unit: Unit): void {
    this.#equations(conjuncts(query.whereClause), level);
    for (const [type, fields] of nodesOfLevel(query)) {
      if (type === 'ColumnRef') this.#resolve(columnOf({ ColumnRef: fields }) ?? [], level);
      if (type === 'SubLink') this.#sublink(as(fields.subselect, 'SelectStmt') as Tree, level, unit);
    }
  }

  #sublink(select: Tree, level: Level, unit: Unit): void {
    const own: Unit = { tables: [], against: [] };
    const inside = this.#query(select, level, own);
    if (inside.outer.size === 0) {
      this.#close(own);
      return;
    }
    unit.tables.push(...own.tables);
    unit.against.push(...own.against);
    if (own.tables.length > 0 && level.items.every(({ recurring }) => recurring))
      unit.against.push(`a subquery of ${names(own.tables)} is correlated with ${names(level.items)}`);
  }

  /** A lateral subquery of shards that hangs on recurring rows must not have to see all shards. */
  #lateral({ items }: Level, unit: Unit): void {
    const recurring = new Set(items.filter((item) => item.recurring));
    const look = (item: Item): void => {
      if (!item.select || item.recurring || ![...item.outer].some((each) => recurring.has(each))) return;
      const reasons = mergeReasons(item.select, KEY);
      for (const reason of reasons)
        unit.against.push(`${reason} in a lateral subquery that hangs on ${names([...recurring])}`);
      if (isMerged(item.select)) item.inner.forEach(look);
    };
    items.forEach(look);
  }

  #equations(conditions: unknown[], level: Level): void {
    for (const condition of conditions) {
      const sides = equation(condition);
      if (!sides) continue;
      const [left, right] = sides.map((side) => this.#value(side, level));
      if (left && right) this.#equal.join(left, right);
    }
  }

  #value(node: unknown, level: Level): string | null {
    const column = columnOf(node);
    if (column) return this.#resolve(column, level);
    const parameter = as(node, 'ParamRef');
    if (parameter) return `${VALUE}$${parameter.number}`;
    return as(node, 'A_Const') ? `${VALUE}${JSON.stringify(node)}` : null;
  }

  /** The column that a name means, looked for from the inside out. */
  #resolve(names: readonly string[], level: Level): string | null {
    const column = names.at(-1);
    if (column === undefined) return null;
    const passed: Level[] = [];
    for (let at: Level | null = level; at; at = at.parent) {
      const item = at.items.find(({ alias, columns }) =>
        names.length > 1 ? alias === names[0] : (columns?.has(column) ?? false),
      );
      if (item) {
        for (const inner of passed) inner.outer.add(item);
        return keyOf(item, column);
      }
      passed.push(at);
    }
    return null;
  }
}

/** A set operation goes to the shards only as a union whose sides are all of shards. */
function setReasons(select: Tree, level: Level): string[] {
  if (select.op === 'SETOP_NONE') return [];
  if (select.op !== 'SETOP_UNION') return ['EXCEPT or INTERSECT in a lateral subquery'];
  return hasRecurringSide(level) ? ['a side of UNION without a distributed table in a lateral subquery'] : [];
}

const hasRecurringSide = ({ sides, items }: Level): boolean =>
  sides.length > 0 ? sides.some(hasRecurringSide) : items.every(({ recurring }) => recurring);

const VALUE = 'value ';
const keyOf = ({ id }: Item, column: string) => `${id}.${column}`;
const names = (items: readonly Item[]) => items.map(({ alias }) => alias).join(', ');

/** Names that stand for the same value. */
class Classes {
  readonly #above = new Map<string, string>();

  of(name: string): string {
    const above = this.#above.get(name);
    return above === undefined ? name : this.of(above);
  }

  /** A value stays on top of its class. */
  join(a: string, b: string): void {
    const [first, second] = [this.of(a), this.of(b)];
    if (first === second) return;
    if (this.hasValue(first)) this.#above.set(second, first);
    else this.#above.set(first, second);
  }

  hasValue(top: string): boolean {
    return top.startsWith(VALUE);
  }
}
