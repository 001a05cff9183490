import type { Command } from 'commander';
import { withDatabase } from './database/with-database.ts';

/** `roundtrip migrate`: brings the database up to this version. */
export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database (DATABASE_URL, else the data folder) to this version')
    .action(async () => {
      const applied = await withDatabase(async (names) => names);
      process.stdout.write(applied.length === 0 ? 'up to date\n' : `applied ${applied.join(', ')}\n`);
    });
}
