import { access, constants } from 'node:fs/promises';
import type { Command } from 'commander';
import { summaryOf } from './backup.ts';
import { withDatabaseAsItIs } from './database/database.ts';
import { StartError } from './start-error.ts';

/** `roundtrip restore FILE`: what a backup holds, into a database that is empty and unused. */
export function restoreCommand(program: Command): void {
  program
    .command('restore')
    .description('restore a backup into an empty database (DATABASE_URL, else the data folder); stop the server first')
    .argument('<file>', 'a file that `roundtrip backup` wrote; - is standard input')
    .option('--replace', 'delete what the database holds')
    .action(async (file: string, options: { replace?: boolean }) => {
      if (file !== '-')
        await access(file, constants.R_OK).catch((error: Error) => {
          throw new StartError(`${file} cannot be read: ${error.message}.`);
        });
      const { restoreBackup } = await import('#server/database/restore.ts');
      const from = file === '-' ? process.stdin : file;
      const { counts, manifest } = await withDatabaseAsItIs((url) => restoreBackup(url, from, options)).catch(
        (error: Error) => {
          throw error.name === 'BackupError' ? new StartError(error.message) : error;
        },
      );
      process.stderr.write(`restored the backup of ${manifest.createdAt}: ${summaryOf(counts)}\n`);
    });
}
