import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SPOOL_BYTES } from './spool.ts';

export type ProcessSettings = {
  server: string;
  token: string | undefined;
  dataDir: string;
  logLevel: string;
  /** Threads that measure. */
  threads: number;
  /** Most bytes of disk that results take while the server is away. */
  spoolBytes: number;
};
type Given = {
  server?: string | undefined;
  token?: string | undefined;
  data?: string | undefined;
  threads?: string | undefined;
};

/** Most measuring threads that can be asked for, and most that a prober takes by itself. */
export const MAX_THREADS = 64;
const DEFAULT_MOST_THREADS = 4;
/** Bounds of ROUNDTRIP_SPOOL_MB, in MiB. */
export const MIN_SPOOL_MB = 16;
export const MAX_SPOOL_MB = 1024 * 1024;
const MIB = 1024 * 1024;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** One core is left to uploads and to the rest of the machine, where it has more than one. */
export function defaultThreads(cores: number = availableParallelism()): number {
  return Math.max(1, Math.min(DEFAULT_MOST_THREADS, cores - 1));
}

/** Arguments first, then ROUNDTRIP_SERVER, _TOKEN, _DATA, _THREADS and _SPOOL_MB; a string says what is wrong. */
export function proberSettings(given: Given, env: Record<string, string | undefined>): ProcessSettings | string {
  const server = given.server ?? env.ROUNDTRIP_SERVER;
  if (!server) return '--server (or ROUNDTRIP_SERVER) is missing: give the address of the Roundtrip server';
  // It may come with the password of somebody's proxy, which no line of a log may repeat.
  const shown = server.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');
  if (!/^https?:\/\//i.test(server) || !URL.canParse(server)) {
    return `--server is ${JSON.stringify(shown)}, which is not an http:// or https:// address`;
  }
  const { username, password } = new URL(server);
  if (username || password) return `--server is ${JSON.stringify(shown)}: it cannot carry a user name or password`;
  const token = given.token ?? (env.ROUNDTRIP_TOKEN || undefined);
  if (token !== undefined && (token.length < 10 || token.length > 200)) {
    return '--token is not an enrolment token: one begins with rte_';
  }
  const logLevel = env.LOG_LEVEL || 'info';
  if (!LOG_LEVELS.includes(logLevel)) return `LOG_LEVEL is ${logLevel}: give one of ${LOG_LEVELS.join(', ')}`;
  const threads = given.threads ?? (env.ROUNDTRIP_THREADS || String(defaultThreads()));
  if (!/^\d{1,3}$/.test(threads) || Number(threads) < 1 || Number(threads) > MAX_THREADS) {
    return `--threads is ${JSON.stringify(threads)}: give a whole number from 1 to ${MAX_THREADS}`;
  }
  const spoolMb = env.ROUNDTRIP_SPOOL_MB || String(DEFAULT_SPOOL_BYTES / MIB);
  if (!/^\d{1,7}$/.test(spoolMb) || Number(spoolMb) < MIN_SPOOL_MB || Number(spoolMb) > MAX_SPOOL_MB) {
    const bounds = `a whole number of MiB from ${MIN_SPOOL_MB} to ${MAX_SPOOL_MB}`;
    return `ROUNDTRIP_SPOOL_MB is ${JSON.stringify(spoolMb)}: give ${bounds}`;
  }
  const spoolBytes = Number(spoolMb) * MIB;
  const dataDir = given.data ?? join(env.ROUNDTRIP_DATA || '.roundtrip', 'prober');
  return { server, token, dataDir, logLevel, threads: Number(threads), spoolBytes };
}
