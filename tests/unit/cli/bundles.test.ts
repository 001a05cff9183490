import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUNDLE_INPUTS, digestOf, ENTRIES, entryFile, isBundled, ROOT } from '#cli/bundles.mjs';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-digest-'));
  mkdirSync(path.join(folder, 'server'));
  writeFileSync(path.join(folder, 'server/a.ts'), 'one');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the digest of sources', () => {
  const digest = () => digestOf(folder, ['server', 'missing']);

  it.each([
    ['a changed file', () => writeFileSync(path.join(folder, 'server/a.ts'), 'two')],
    ['a new file', () => writeFileSync(path.join(folder, 'server/b.ts'), '')],
    ['a file that is gone', () => rmSync(path.join(folder, 'server/a.ts'))],
    ['a file beyond one read', () => writeFileSync(path.join(folder, 'server/a.ts'), 'x'.repeat(200_000))],
  ])('differs after %s', (_, change) => {
    const before = digest();
    expect(digest()).toBe(before);
    change();
    expect(digest()).not.toBe(before);
  });

  it('takes no notice of generated files', () => {
    const before = digest();
    mkdirSync(path.join(folder, 'server/generated'));
    expect(digest()).toBe(before);
  });
});

describe('entries', () => {
  it('are sources that exist, each among what a stale bundle is told by', () => {
    for (const source of Object.values(ENTRIES)) {
      expect(existsSync(path.join(ROOT, source)), source).toBe(true);
      expect(BUNDLE_INPUTS, source).toContain(source.split('/')[0]);
    }
  });

  it('are run from source by whatever runs from source', () => {
    expect(isBundled).toBe(false);
    expect(entryFile('jobs')).toBe('workers/jobs/main.ts');
  });
});
