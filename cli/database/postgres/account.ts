import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartError } from '../../start-error.ts';

const run = promisify(execFile);

/** The system user a server runs as; null is the user this process already runs as. */
export type Account = { uid: number; gid: number } | null;

/** PostgreSQL refuses to run as root, so root has to lend it another user. */
export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * The system user `postgres`, made when it is missing (one line of log says so).
 * @throws StartError when it is missing and cannot be made.
 */
export async function ensurePostgresUser(log: (line: string) => void): Promise<Account> {
  const found = await findUser('postgres');
  if (found) return found;
  await createUser();
  const created = await findUser('postgres');
  if (!created) {
    throw new StartError(
      'PostgreSQL refuses to run as root, and the system user `postgres` could not be created. Start Roundtrip as an ordinary user, or set DATABASE_URL.',
    );
  }
  log('Created the system user `postgres`: PostgreSQL refuses to run as root.');
  return created;
}

/** Whether `account` may enter a folder, or run a file. The kernel is asked, because access lists don't show in the mode. */
export async function canReach(account: Account, place: string): Promise<boolean> {
  return succeeds('test', ['-x', place], account);
}

async function findUser(name: string): Promise<Account> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

/** Debian and Fedora have useradd, Alpine has adduser. */
async function createUser(): Promise<void> {
  if (
    await succeeds('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'postgres'])
  ) {
    return;
  }
  await succeeds('addgroup', ['-S', 'postgres']);
  await succeeds('adduser', ['-S', '-D', '-H', '-G', 'postgres', 'postgres']);
}

async function succeeds(command: string, args: string[], account: Account = null): Promise<boolean> {
  try {
    await run(command, args, { cwd: '/', ...account });
    return true;
  } catch {
    return false;
  }
}
