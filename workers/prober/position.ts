import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How far the server has answered: up to `offset` of the content of the segment `number`, which is `taken` records. */
export type Position = { number: number; offset: number; taken: number };

const pathIn = (directory: string) => join(directory, 'position');

/** Null where there is none, or one that cannot be read: all of the first segment is sent again then. */
export function readPosition(directory: string): Position | null {
  try {
    const [number = 0, offset = 0, taken = 0] = readFileSync(pathIn(directory), 'utf8').split(' ').map(Number);
    return { number, offset, taken };
  } catch {
    return null;
  }
}

/** On a full disk it rejects, and the position stays behind: the server counts what is sent again once. */
export async function writePosition(directory: string, { number, offset, taken }: Position): Promise<void> {
  const path = pathIn(directory);
  await writeFile(`${path}.new`, `${number} ${offset} ${taken}`);
  await rename(`${path}.new`, path);
}
