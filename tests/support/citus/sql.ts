// The parse tree of PostgreSQL's own parser (libpg-query), as far as the checker reads it: every node is an object with one
// key, its type.

export type Tree = { [key: string]: unknown };

/** The fields of a node of this type, null for another. */
export function as(node: unknown, type: string): Tree | null {
  const fields = typeof node === 'object' && node !== null ? (node as Tree)[type] : undefined;
  return typeof fields === 'object' && fields !== null ? (fields as Tree) : null;
}

/** A field that holds a list, empty where it is left out. */
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (node: unknown): string => (as(node, 'String')?.sval as string | undefined) ?? '';

/** The names of a column: one, or the alias before it; null for anything else and for a star. */
export function columnOf(node: unknown): string[] | null {
  const fields = list(as(node, 'ColumnRef')?.fields);
  return fields.length > 0 && fields.every((field) => as(field, 'String')) ? fields.map(textOf) : null;
}

/** Every node under these, with its type; `into` says which types are gone into. */
export function* nodesIn(value: unknown, into: (type: string) => boolean): Generator<[type: string, fields: Tree]> {
  if (Array.isArray(value)) for (const each of value) yield* nodesIn(each, into);
  else if (typeof value === 'object' && value !== null)
    for (const [key, fields] of Object.entries(value)) {
      if (typeof fields !== 'object' || fields === null) continue;
      const isType = /^[A-Z]/.test(key);
      if (isType) yield [key, fields as Tree];
      if (!isType || into(key)) yield* nodesIn(fields, into);
    }
}

/** Every node of a query's own level: subqueries are named and not gone into. */
export const nodesOfLevel = (value: unknown) =>
  nodesIn(value, (type) => type !== 'SelectStmt' && type !== 'CommonTableExpr');

/** The conditions of a clause that all hold. */
export function conjuncts(clause: unknown): unknown[] {
  const and = as(clause, 'BoolExpr');
  if (and?.boolop === 'AND_EXPR') return list(and.args).flatMap(conjuncts);
  return clause === undefined ? [] : [clause];
}

/** Both sides of an equation, null for anything else. */
export function equation(node: unknown): [unknown, unknown] | null {
  const fields = as(node, 'A_Expr');
  const isEqual = fields?.kind === 'AEXPR_OP' && textOf(list(fields.name)[0]) === '=';
  return isEqual ? [bare(fields.lexpr), bare(fields.rexpr)] : null;
}

/** Without the casts around it. */
export function bare(node: unknown): unknown {
  const cast = as(node, 'TypeCast');
  return cast ? bare(cast.arg) : node;
}
