import type { Command } from 'commander';
import { withDatabase } from './database/database.ts';

/** `roundtrip migrate`: brings the database up to this version, and its tables to the nodes of a cluster where it is one. */
export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database (DATABASE_URL, else the data folder) to this version')
    .option('--citus', 'make the extension Citus, and distribute the tables; done without asking where it is there')
    .action(async (options: { citus?: boolean }) => {
      const { applied, distributed } = await withDatabase(async (done) => done, options);
      process.stdout.write(applied.length === 0 ? 'up to date\n' : `applied ${applied.join(', ')}\n`);
      if (distributed.length > 0) process.stdout.write(`distributed ${distributed.join(', ')}\n`);
    });
}
