import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskFullError, StartError } from '../../start-error.ts';
import type { Server } from './server.ts';

/**
 * The first new start comes at once, the others after a pause that doubles from `firstPauseMs` up to `longestPauseMs`. A
 * server that ends, or does not start, for the `mostEnds`th time `withinMs` is not started again.
 */
export type RestartLimits = { firstPauseMs: number; longestPauseMs: number; mostEnds: number; withinMs: number };
const LIMITS: RestartLimits = { firstPauseMs: 1_000, longestPauseMs: 10_000, mostEnds: 10, withinMs: 300_000 };

export type KeptServer = {
  /** Rejects with a StartError when the server ends again and again. Never resolves. */
  failed: Promise<never>;
  /** Shuts the server down, or gives up starting it, and returns when its process is gone. */
  stop: () => Promise<void>;
};

export type KeepOptions = {
  logFile: string;
  /** Starts the server again on the same data and port; throws when it will not run, and once the signal is aborted. */
  restart: (signal: AbortSignal) => Promise<Server>;
  /** Gets a sentence for each end and each new start. */
  log: (line: string) => void;
  limits?: RestartLimits;
};

/** Keeps a server running: when it ends unasked it is started again. */
export function keepServer(first: Server, { logFile, restart, log, limits = LIMITS }: KeepOptions): KeptServer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopped = once(signal, 'abort');
  const ends: number[] = [];
  let current: Server | null = first;

  async function keep(): Promise<void> {
    while (current !== null) {
      await Promise.race([current.ended, stopped]);
      if (signal.aborted) return;
      current = null;
      const endedAt = performance.now();
      current = await startAgain();
      if (current) log(`answers again, ${((performance.now() - endedAt) / 1_000).toFixed(1)} s after it ended`);
    }
  }

  /** Null when it was stopped meanwhile. A full disk is nothing that starting wears out: it is waited for, however long it takes. */
  async function startAgain(): Promise<Server | null> {
    let what = 'ended unexpectedly';
    let isFull = false;
    for (;;) {
      const pause = isFull ? limits.longestPauseMs : nextPause(what);
      if (!isFull) log(`${what}, restarting ${pause === 0 ? 'at once' : `in ${pause / 1_000} s`} (see ${logFile})`);
      try {
        await sleep(pause, undefined, { signal });
        return await restart(signal);
      } catch (error) {
        if (signal.aborted) return null;
        const reason = error instanceof Error ? error.message : String(error);
        const wasFull = isFull;
        isFull = error instanceof DiskFullError;
        if (isFull && !wasFull) log(`${reason} Retrying every ${limits.longestPauseMs / 1_000} s.`);
        what = `could not be started (${reason})`;
      }
    }
  }

  function nextPause(what: string): number {
    const { firstPauseMs, longestPauseMs, mostEnds, withinMs } = limits;
    const now = performance.now();
    while (ends[0] !== undefined && now - ends[0] > withinMs) ends.shift();
    ends.push(now);
    if (ends.length >= mostEnds) {
      throw new StartError(
        `PostgreSQL ${what} for the ${mostEnds}th time within ${withinMs / 60_000} minutes and is not restarted. Its log is ${logFile}.`,
      );
    }
    return ends.length === 1 ? 0 : Math.min(firstPauseMs * 2 ** (ends.length - 2), longestPauseMs);
  }

  const kept = keep();
  const failed = kept.then(() => new Promise<never>(() => {}));
  // A caller that does not ask (a command that borrows the server for a moment) is not ended by it.
  failed.catch(() => {});
  const stop = async () => {
    stopping.abort();
    await kept.catch(() => {});
    await current?.stop();
  };
  return { failed, stop };
}
