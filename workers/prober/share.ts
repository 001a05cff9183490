import { setImmediate as otherTurn } from 'node:timers/promises';
import { MAX_SHARED_PARTS, SHARED_PLACES } from '#contract/ingest.ts';

/** So many results at once, about 2 ms; between them the prober's other work gets its turn. */
const AT_ONCE = 50;

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/**
 * The results of a batch (each as JSON) with what they share taken out: the texts of both lists, as a batch of form 2 has
 * them. A line that is no JSON object stays as it is, for the server to refuse by name. Null where a result has a number in
 * the place of a part, which the server would take for that part's: such a batch is to go out as it is.
 */
export async function withSharedParts(lines: readonly string[]): Promise<{ results: string; shared: string } | null> {
  const numbers = new Map<string, number>();
  const results: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await otherTurn();
    const result = withoutParts(line, numbers);
    if (result === null) return null;
    results.push(result);
  }
  return { results: `[${results.join(',')}]`, shared: `[${[...numbers.keys()].join(',')}]` };
}

function withoutParts(line: string, numbers: Map<string, number>): string | null {
  const result = parsed(line);
  if (!isObject(result)) return line;
  for (const place of SHARED_PLACES) {
    const [first, second] = place;
    const holder = second === undefined ? result : result[first];
    const key = second ?? first;
    if (!isObject(holder)) continue;
    const part = holder[key];
    if (typeof part === 'number') return null;
    if (isObject(part)) holder[key] = numberOf(JSON.stringify(part), numbers) ?? part;
  }
  return JSON.stringify(result);
}

function numberOf(part: string, numbers: Map<string, number>): number | undefined {
  const known = numbers.get(part);
  if (known !== undefined || numbers.size === MAX_SHARED_PARTS) return known;
  numbers.set(part, numbers.size);
  return numbers.size - 1;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
