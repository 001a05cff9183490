import type { StorableResult } from '#contract/result.ts';
import { COLUMNS, GROUPS, type Group } from './columns.ts';
import type { CopyWriter } from './copy-writer.ts';
import type { Encoding } from './evidence.ts';

/** The columns of `result` in the order in which `writeResult` writes them. */
export const COLUMN_NAMES = COLUMNS.map(({ column }) => column);

/** One row, in COPY's binary form. What is too long for the row is left in `to.tooLong`. */
export function writeResult(out: CopyWriter, result: StorableResult, to: Encoding): void {
  out.row(COLUMNS.length);
  for (const { at, columns, write } of WRITERS) {
    const holder = holderAt(result, at);
    if (holder) write(out, holder, to);
    else for (const { column } of columns) column.write(out, undefined, to);
  }
  out.int2(givenBits(result));
}

type WriteFields = (out: CopyWriter, holder: object, to: Encoding) => void;

/**
 * Compiles what writes the fields of one object. As source text, since only code of its own for each object lets the engine
 * read the fields at fixed places: a loop over the columns takes half as long again. Nothing but the table gets into it.
 */
function writerOf({ columns }: Group): WriteFields {
  const calls = columns.map(({ key, column }, index) => {
    const value = column.ofParent ? 'holder' : `holder[${JSON.stringify(key)}]`;
    return `columns[${index}].column.write(out, ${value}, to);`;
  });
  return new Function('columns', `return (out, holder, to) => { ${calls.join('\n')} };`)(columns) as WriteFields;
}

const WRITERS = GROUPS.map((group) => ({ ...group, write: writerOf(group) }));

type Holder = Record<string, unknown> | null | undefined;

function holderAt(result: StorableResult, at: readonly string[]): Holder {
  let holder: Holder = result;
  for (const key of at) holder = holder?.[key] as Holder;
  return holder;
}

const WITH_BIT = GROUPS.flatMap(({ at, columns }) =>
  columns.flatMap(({ key, column: { bit } }) => (bit ? { at, key, bit } : [])),
);

/** Only results of engine 1 tell what they leave out from what is null. */
function givenBits(result: StorableResult): number | null {
  if (result.engineVersion >= 2) return null;
  let bits = 0;
  for (const { at, key, bit } of WITH_BIT) if (holderAt(result, at)?.[key] !== undefined) bits |= bit;
  return bits === 0 ? null : bits;
}
