import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { environment } from '#server/environment/environment.ts';
import { browserUrl } from './address.ts';
import { ADDRESS_FILE, dataFolder } from './database/data-folder.ts';
import { withDatabase } from './database/database.ts';

/** `roundtrip sign-in`: prints a link that signs in once, and nothing else on standard output. */
export function signInCommand(program: Command): void {
  program
    .command('sign-in')
    .description(
      'print a link that signs the administrator in, once, within 10 minutes; works while the server runs and whatever guesses at the password do',
    )
    .action(async () => {
      const { token, minutes } = await withDatabase(async () => {
        const { createSignInLink, LINK_MINUTES } = await import('#server/access/sign-in-link.ts');
        return { token: await createSignInLink(), minutes: LINK_MINUTES };
      });
      process.stdout.write(`${dashboardUrl()}/login?token=${token}\n`);
      process.stderr.write(`The link works once, for ${minutes} minutes. An earlier link no longer works.\n`);
    });
}

/** The address of the dashboard as a browser reaches it, without a slash at its end: that of the one that runs here, where one does. */
function dashboardUrl(): string {
  const { ROUNDTRIP_PUBLIC_URL, HOST, PORT } = environment();
  if (ROUNDTRIP_PUBLIC_URL) return new URL(ROUNDTRIP_PUBLIC_URL).origin;
  try {
    return readFileSync(path.join(dataFolder(), ADDRESS_FILE), 'utf8').trim();
  } catch {
    return browserUrl(HOST, PORT);
  }
}
