import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  foreignMigrations,
  migrationNames,
  migrationsFolder,
  NEWEST_MIGRATION,
} from '#server/database/schema-version.ts';

/** What of these names breaks the rule: numbers without a gap, so that the order of names is that in which they were added. */
function namingFaults(names: readonly string[]): string[] {
  return [...names].sort().flatMap((name, index) => {
    const number = String(index + 1).padStart(4, '0');
    return new RegExp(`^${number}_[a-z][a-z0-9_]*$`).test(name)
      ? []
      : [`${name}: rename it to ${number}_${name.replace(/^\d+_/, '')}`];
  });
}

describe('the folder of migrations', () => {
  it('has names numbered without a gap, each with its SQL', () => {
    expect(namingFaults(migrationNames())).toEqual([]);
    for (const name of migrationNames())
      expect(existsSync(path.join(migrationsFolder(), name, 'migration.sql'))).toBe(true);
  });

  it.each([
    ['that sorts before the newest', ['0001_init', '0002_b', '0002_a'], '0002_b: rename it to 0003_b'],
    ['that sorts before the first', ['0000_x', '0001_init'], '0000_x: rename it to 0001_x'],
    ['that leaves a gap', ['0001_init', '0003_x'], '0003_x: rename it to 0002_x'],
    ['that a tool dated', ['0001_init', '20261123201500_x'], '20261123201500_x: rename it to 0002_x'],
    ['that is dated in the future', ['0001_init', '20991231000000_x'], '20991231000000_x: rename it to 0002_x'],
  ])('refuses one %s', (_what, names, fault) => {
    expect(namingFaults(names)).toContain(fault);
  });

  it('says which is the newest', () => {
    expect(NEWEST_MIGRATION).toBe(migrationNames().at(-1));
  });

  it('tells those of a newer version from those of another history', () => {
    expect(foreignMigrations([...migrationNames(), '9998_later', '9999_later'])).toEqual([]);
    expect(foreignMigrations(['20261121080000_init', '0000_x', '0001_other', 'init', '0001_init'])).toEqual([
      '20261121080000_init',
      '0000_x',
      '0001_other',
      'init',
    ]);
  });
});
