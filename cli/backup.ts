import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { RowCounts } from '#server/database/backup-file.ts';
import { withDatabaseAsItIs } from './database/database.ts';
import { StartError } from './start-error.ts';
import { writeWhole } from './whole-file.ts';

/** `roundtrip backup FILE`: all that the database holds, in one file, while Roundtrip goes on. */
export function backupCommand(program: Command): void {
  program
    .command('backup')
    .description(
      'write all that the database holds (DATABASE_URL, else the data folder) to a file; works while the server runs',
    )
    .argument('<file>', 'the file to make; - is standard output')
    .action(async (file: string) => {
      const counts = await (file === '-' ? backup(process.stdout) : backupToFile(file));
      process.stderr.write(`${summaryOf(counts)}\n`);
    });
}

/** How much that was, for the person at the terminal. */
export function summaryOf(counts: RowCounts): string {
  const rows = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return `${rows} rows in ${Object.keys(counts).length} tables, ${counts.result ?? 0} results among them`;
}

async function backup(to: Writable): Promise<RowCounts> {
  const { writeBackup } = await import('#server/database/backup.ts');
  return await withDatabaseAsItIs((url) => writeBackup(url, to)).catch((error: Error) => {
    throw error.name === 'BackupError' ? new StartError(error.message) : error;
  });
}

/** It holds hashes of keys and sealed addresses: nobody else may read it. */
const backupToFile = (file: string): Promise<RowCounts> => writeWhole(file, backup);
