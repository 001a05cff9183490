import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Cpu, Peak } from './truth-types.ts';

/** The prober has a core to itself; server, line, capture and the bench share another. */
export const PROBER_CORE = 0;
export const OTHER_CORE = 1;

const POLL_MS = 40;
/** Ticks a second of /proc/PID/stat: the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
/** As /proc/net/tcp writes them. */
const [ESTABLISHED, SYN_SENT] = ['01', '02'];

const alive = new Set<ChildProcess>();

let stopped = false;

/** Whether the bench was stopped early: what breaks from then on broke for that. */
export const isStopped = () => stopped;

/** Ends every process that is still there, for a bench that is stopped early. */
export function endAll(): void {
  stopped = true;
  for (const child of alive) child.kill('SIGKILL');
}

/** Starts a program that ends with this bench at the latest. Its standard error is kept for `complaint`. */
export function start(command: string[], stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'pipe']): ChildProcess {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio });
  alive.add(child);
  child.once('close', () => alive.delete(child));
  return child;
}

/** A command line that runs on one core. */
export function onCore(core: number, command: string[]): string[] {
  return ['taskset', '-c', String(core), ...command];
}

/** A program that ran to its end: its lines, its CPU time and its peaks. Throws where it could not run at all. */
export type Ended = { lines: string[]; status: number | null; errors: string; cpu: Cpu; peak: Peak };

/** Runs `command` on the prober's core to its end; `prefix` leads into the namespace, `port` is the server's. */
export async function runToEnd(prefix: string[], command: string[], port: number): Promise<Ended> {
  // The shell's own clock of its children: rusage, so finer than the ticks of /proc, and with all that they started.
  const timed = ['bash', '-c', 'TIMEFORMAT="%3U %3S"; { time "$@" 2>&4; } 4>&2 2>&3', 'bash', ...command];
  const child = start([...prefix, ...onCore(PROBER_CORE, timed)], ['ignore', 'pipe', 'pipe', 'pipe']);
  const [output, errors, times] = [1, 2, 3].map((at) => collect(child, at));
  const watch = watchPeak(() => childOf(child.pid ?? 0), port);
  const [status] = await once(child, 'close');
  const [userMs = Number.NaN, systemMs = Number.NaN] = (times?.() ?? '')
    .trim()
    .split(' ')
    .map((s) => Number(s) * 1_000);
  const lines = (output?.() ?? '').split('\n').filter((line) => line !== '');
  return { lines, status, errors: errors?.() ?? '', cpu: { userMs, systemMs }, peak: watch.stop() };
}

/** CPU time that a process, with all its threads, has used so far. */
export function cpuOf(pid: number): Cpu {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const ms = (at: number) => (Number(fields[at]) * 1_000) / TICKS_PER_SECOND;
  return { userMs: ms(11), systemMs: ms(12) };
}

/** Looks at a process again and again until it is told to stop. */
export function watchPeak(pidOf: () => number | null, port: number): { stop: () => Peak } {
  const peak: Peak = { hwmKb: 0, rssKb: 0, open: 0 };
  const timer = setInterval(() => look(pidOf(), port, peak), POLL_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

function look(pid: number | null, port: number, peak: Peak): void {
  if (pid === null) return;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    peak.hwmKb = Math.max(peak.hwmKb, kilobytes('VmHWM'));
    peak.rssKb = Math.max(peak.rssKb, kilobytes('VmRSS'));
    peak.open = Math.max(peak.open, openConnections(pid, port));
  } catch {
    // It ended between two looks: what was seen so far stands.
  }
}

/** Connections to `port` that are made or being made in the namespace of a process. */
function openConnections(pid: number, port: number): number {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'latin1').split('\n').slice(1);
  return rows.filter((row) => {
    const [, , remote = '', state] = row.trim().split(/\s+/);
    return (state === ESTABLISHED || state === SYN_SENT) && remote.endsWith(wanted);
  }).length;
}

function childOf(pid: number): number | null {
  try {
    const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return first ? Number(first) : null;
  } catch {
    return null;
  }
}

/** Reads all that comes out of one of a child's pipes. */
function collect(child: ChildProcess, at: number): () => string {
  const chunks: Buffer[] = [];
  child.stdio[at]?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
