import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import type { RowCounts } from '#server/database/backup-file.ts';
import { withDatabaseAsItIs } from './database/database.ts';
import { StartError } from './start-error.ts';

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

/** The file is there once it is whole. */
async function backupToFile(file: string): Promise<RowCounts> {
  if (existsSync(file)) throw new StartError(`${file} exists already: name another file, or remove it first.`);
  const part = `${file}.part`;
  const unwritable = ({ message }: Error) => new StartError(`${file} cannot be written: ${message}.`);
  // It holds hashes of keys and sealed addresses.
  const handle = await open(part, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw unwritable(error);
    throw new StartError(
      `${part} exists: another backup writes it, or one was cut off. Name another file, or remove it.`,
    );
  });
  // `flush`: what was written is on the disk before the file gets its name.
  const to = handle.createWriteStream({ flush: true });
  try {
    const counts = await backup(to);
    await finished(to.end());
    await rename(part, file);
    return counts;
  } catch (error) {
    to.destroy();
    await rm(part, { force: true });
    throw to.errored ? unwritable(to.errored) : error;
  }
}
