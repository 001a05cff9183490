import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { NewPassword } from '#contract/session.ts';
import type { PasswordState } from '#server/access/admin.ts';
import { withDatabase } from './database/database.ts';
import { StartError } from './start-error.ts';

export const OTHER_PASSWORD =
  'ROUNDTRIP_ADMIN_PASSWORD differs from the administrator’s password and is ignored: it is used at the first start only. `roundtrip password` changes the password.';

/** What a setup did about the administrator's password, or did not do. */
export function passwordText(found: PasswordState): string {
  if (found.state === 'generated') return `${found.password} (shown only once: keep it)`;
  if (found.state === 'given') return 'set to ROUNDTRIP_ADMIN_PASSWORD';
  switch (found.given) {
    case 'none':
      return 'set';
    case 'same':
      return 'already set, equal to ROUNDTRIP_ADMIN_PASSWORD';
    case 'other':
      return `already set, unchanged. ${OTHER_PASSWORD}`;
  }
}

/** `roundtrip password`: sets the administrator's password, whatever it was. */
export function passwordCommand(program: Command): void {
  program
    .command('password')
    .description(
      "set the administrator's password: prompts twice, or reads one line from standard input; works while the server runs",
    )
    .action(async () => {
      const password = checked(process.stdin.isTTY ? await askTwice() : await readLine());
      const ended = await withDatabase(async () => {
        const { setAdminPassword } = await import('#server/access/admin.ts');
        return setAdminPassword(password);
      });
      process.stdout.write(`Admin password: changed; sessions ended: ${ended}\n`);
    });
}

function checked(password: string): string {
  const parsed = NewPassword.safeParse(password);
  if (parsed.success) return parsed.data;
  throw new StartError(`The password ${parsed.error.issues[0]?.message}; it was not changed.`);
}

async function readLine(): Promise<string> {
  const [line = '', ...rest] = (await text(process.stdin)).split(/\r?\n/);
  if (rest.some((more) => more !== '')) {
    throw new StartError('Standard input has more than one line; the password was not changed.');
  }
  return line;
}

async function askTwice(): Promise<string> {
  const password = await ask('New admin password: ');
  checked(password);
  if (password === (await ask('Repeat the password: '))) return password;
  throw new StartError('The two passwords differ; nothing was changed.');
}

/** Asks on the terminal, where what is typed does not show. */
function ask(question: string): Promise<string> {
  // The terminal's editing (backspace and the like) without its echo.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  process.stderr.write(question);
  return new Promise((resolve, reject) => {
    lines.once('SIGINT', () => reject(new StartError('Stopped; the password was not changed.')));
    lines.once('line', resolve);
    lines.once('close', () => reject(new StartError('No password was given; nothing was changed.')));
  }).finally(() => {
    lines.close();
    process.stderr.write('\n');
  }) as Promise<string>;
}
