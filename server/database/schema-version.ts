import { readdirSync } from 'node:fs';
import path from 'node:path';

// The comments keep Next's tracer from copying the whole checkout beside the web build, which has the name of the newest instead.

/** The folder of the migrations. */
export const migrationsFolder = (): string =>
  path.resolve(/* turbopackIgnore: true */ import.meta.dirname, '../../prisma/migrations');

/** Names of the migrations of this checkout, in the order in which they are applied: that of their numbers (0001_init, 0002_...). */
export function migrationNames(): string[] {
  const entries = readdirSync(/* turbopackIgnore: true */ migrationsFolder(), { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/**
 * The newest migration, which this code needs; empty where there is none. The web build has it from the time of the build
 * (next.config.ts), since it may run without the folder.
 */
export const NEWEST_MIGRATION: string = process.env.ROUNDTRIP_NEWEST_MIGRATION ?? migrationNames().at(-1) ?? '';

/**
 * Names that are neither migrations of this checkout nor of a newer version, whose numbers are higher: what has them was made by an
 * earlier tree, or by another program, and this version cannot read it.
 */
export function foreignMigrations(names: readonly string[]): string[] {
  const own = migrationNames();
  const numberOf = (name: string) => Number(/^(\d{4})_/.exec(name)?.[1] ?? 0);
  return names.filter((name) => !own.includes(name) && numberOf(name) <= own.length);
}
