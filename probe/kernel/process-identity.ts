import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * When the process `pid` started, in the system's own notation, or null when there is no such process. A number that
 * was given to another process since then comes with another start. A zombie counts as gone: in a container
 * it may never be collected.
 */
export async function startOf(pid: number): Promise<string | null> {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/** The command line of `pid`, or null when it cannot be read. */
export async function commandOf(pid: number): Promise<string | null> {
  try {
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    return (await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)])).stdout;
  } catch {
    return null;
  }
}

/** At once: the kernel answers without a disk, and a promise of it takes 64 kB each time, four times a second. */
function startFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may hold spaces: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

async function startFromPs(pid: number): Promise<string | null> {
  try {
    const [state = '', ...start] = (await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])).stdout
      .trim()
      .split(/\s+/);
    return state.startsWith('Z') ? null : start.join(' ');
  } catch {
    return null;
  }
}
