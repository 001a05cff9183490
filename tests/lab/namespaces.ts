import { readFileSync } from 'node:fs';
import { run } from './commands.ts';

/** The processes that hold the two network namespaces, by their ids. */
export type Namespaces = { prober: number; server: number };

/**
 * Root makes network namespaces; anybody else makes a user namespace first, in which they are root. Users, files and
 * process ids stay those of the machine.
 */
const isRoot = process.getuid?.() === 0;
/** How the lab comes to its namespaces, for those who publish figures. */
export const privilege = isRoot ? 'as root' : 'in a user namespace';

const NEW = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), '--net'];

/** Words that start a command in a network namespace of its own. */
export const inNewNamespace: readonly string[] = NEW;

/** Words that start a command in the network namespace which this process holds. */
export function inNamespaceOf(pid: number): string[] {
  return ['nsenter', '--target', String(pid), ...(isRoot ? [] : ['--user', '--preserve-credentials']), '--net', '--'];
}

/** Why no network namespace can be made and used here, as a sentence; null where it can. */
export async function namespaceProblem(): Promise<string | null> {
  const tools = await run(['nsenter', '--version']).catch(() => null);
  if (tools?.status !== 0) return 'The lab needs `unshare` and `nsenter` (util-linux).';
  // An address, not the namespace alone: where AppArmor restricts user namespaces, one is made and nothing allowed in it.
  const tried = await run([...NEW, 'ip', 'link', 'set', 'lo', 'up']);
  if (tried.status === 0) return null;
  const refused = `No network namespace can be made here (${tried.stderr.trim()}).`;
  if (isRoot) return refused;
  return `${refused} ${remedy(settingOf)}`;
}

/** Switches with which systems keep ordinary users from making namespaces, and the value that allows it. */
const SWITCHES = [
  { name: 'kernel.apparmor_restrict_unprivileged_userns', allows: '0', whose: "Ubuntu's AppArmor forbids" },
  { name: 'kernel.unprivileged_userns_clone', allows: '1', whose: 'This kernel forbids' },
];

/** What lets an ordinary user have namespaces, as a sentence; `setting` gives a kernel setting, null where there is none. */
export function remedy(setting: (name: string) => string | null): string {
  for (const { name, allows, whose } of SWITCHES) {
    if (![null, allows].includes(setting(name)))
      return `${whose} user namespaces to ordinary users; \`sysctl -w ${name}=${allows}\` as root allows them.`;
  }
  return 'An ordinary user needs user namespaces for it; root does not.';
}

function settingOf(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim();
  } catch {
    return null;
  }
}
