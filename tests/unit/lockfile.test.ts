import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { missingOptionals } from '../../scripts/complete-lockfile.mjs';

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

it('lists every optional package of every platform, so that npm ci accepts the lockfile anywhere (else run scripts/complete-lockfile.mjs)', () => {
  expect([...missingOptionals(lock).keys()]).toEqual([]);
});

it('names no registry', () => {
  expect(Object.values(lock.packages).filter((entry) => (entry as { resolved?: string }).resolved)).toEqual([]);
});

it('notices an optional package that is not listed', () => {
  const entry = { optionalDependencies: { '@x/linux': '1.0.0' } };
  expect([...missingOptionals({ packages: { 'node_modules/x': entry } })]).toEqual([['@x/linux', '1.0.0']]);
});

it('has an empty module in place of a package that reports installations (overrides of package.json)', () => {
  const named = Object.entries<{ name?: string }>(lock.packages).filter(([place]) => place.endsWith('/@scarf/scarf'));
  expect(named.map(([, { name }]) => name)).toEqual(['client-only']);
  expect(lock.packages['node_modules/client-only']).not.toHaveProperty('hasInstallScript');
});
