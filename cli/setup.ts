import type { Command } from 'commander';
import { prepareDataFolder } from './database/data-folder.ts';
import { withDatabase } from './database/database.ts';
import { passwordText } from './password.ts';

/** `roundtrip setup`: what `roundtrip start` does before it serves. Changes nothing the second time. */
export function setupCommand(program: Command): void {
  program
    .command('setup')
    .description("migrate the database and set the administrator's password, which is printed once")
    .option('--prober <folder>', 'write a one-time token for the prober that keeps its data below this folder')
    .action(async ({ prober }: { prober?: string }) => {
      if (prober !== undefined) prepareDataFolder(prober);
      await withDatabase(async () => {
        await setPassword();
        if (prober !== undefined) await setUpProber(prober);
      });
    });
}

async function setPassword(): Promise<void> {
  // What touches the database is loaded once it is open: the generated client is there only then.
  const { ensureAdminPassword } = await import('#server/access/admin.ts');
  process.stdout.write(`Admin password: ${passwordText(await ensureAdminPassword())}\n`);
}

async function setUpProber(folder: string): Promise<void> {
  const { leaveToken } = await import('./local-prober.ts');
  process.stdout.write(`Local prober: ${await leaveToken(folder)}\n`);
}
