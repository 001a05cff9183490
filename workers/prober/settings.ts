import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type Networks, networkProblem } from '#contract/public-address.ts';
import { serverAddress } from './server-address.ts';
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
  /** Networks that are not public and may be reached where the server allows it too. */
  allowPrivate: Networks;
};
type Given = {
  server?: string | undefined;
  token?: string | undefined;
  data?: string | undefined;
  threads?: string | undefined;
  allowPrivate?: string[] | undefined;
  insecureServer?: boolean | undefined;
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

/**
 * Arguments first, then ROUNDTRIP_SERVER, _TOKEN, _TOKEN_FILE, _DATA, _THREADS, _ALLOW_PRIVATE, _INSECURE_SERVER and _SPOOL_MB; a
 * string says what is wrong.
 */
export function proberSettings(given: Given, env: Record<string, string | undefined>): ProcessSettings | string {
  const { server, problem: misaddressed } = serverAddress(given, env, 'the credential and results and assign checks');
  if (misaddressed !== undefined) return misaddressed;
  const allowPrivate = [...(given.allowPrivate ?? [env.ROUNDTRIP_ALLOW_PRIVATE ?? ''])]
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const wrong = allowPrivate.find((text) => networkProblem(text) !== null);
  if (wrong !== undefined) {
    return `--allow-private (or ROUNDTRIP_ALLOW_PRIVATE) has ${JSON.stringify(wrong)}, which ${networkProblem(wrong)}`;
  }
  const { token, problem } = givenToken(given, env);
  if (problem !== undefined) return problem;
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
  return { server, token, dataDir, logLevel, threads: Number(threads), spoolBytes, allowPrivate };
}

/** Without a token a prober goes on with the credential of its data folder: a file that is not there, or empty, is none. */
function givenToken(
  given: Given,
  { ROUNDTRIP_TOKEN, ROUNDTRIP_TOKEN_FILE: file }: Record<string, string | undefined>,
): { token?: string | undefined; problem?: string } {
  const typed = given.token ?? (ROUNDTRIP_TOKEN || undefined);
  if (typed !== undefined) return checkedToken(typed, '--token');
  if (!file) return {};
  try {
    const kept = readFileSync(file, 'utf8').trim();
    return kept === '' ? {} : checkedToken(kept, `What ROUNDTRIP_TOKEN_FILE names (${file})`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? {} : { problem: `ROUNDTRIP_TOKEN_FILE is ${file}, which cannot be read (${code})` };
  }
}

function checkedToken(token: string, name: string): { token: string; problem?: string } {
  const fits = token.length >= 10 && token.length <= 200;
  return fits ? { token } : { token, problem: `${name} is not an enrolment token: one begins with rte_` };
}
