import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** For the top of a test file: a folder of its own, which goes when its tests have run. */
export function prepareFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `roundtrip-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
