import { join } from 'node:path';
import type { VantageRef } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { type ProbeEnvironment, realEnvironment } from '#probe/environment.ts';
import { warmUp } from '#probe/warm-up.ts';
import { AssignmentStore } from './assignments.ts';
import { IngestClient } from './client.ts';
import { EnrolmentError, obtainCredential } from './credential.ts';
import { lockFolder } from './folder-lock.ts';
import type { Logger } from './logger.ts';
import { Measuring } from './measuring.ts';
import { pollAssignments } from './poll.ts';
import { Spool } from './spool.ts';
import { Uploader } from './upload.ts';

/** A clean stop waits this long for probes under way, and as long again for the last upload. */
const STOP_GRACE_MS = 1_500;

export type ProberOptions = {
  /** The server's address, as `https://monitor.example`. */
  server: string;
  /** The one-time enrolment token; needed once. */
  token?: string | undefined;
  /** Folder of the credential, the assignments and the spool: one prober each. */
  dataDir: string;
  /** Clock and network of a vantage, asked for every probe; the machine's own where left out. */
  environmentFor?: ((vantage: VantageRef) => ProbeEnvironment) | undefined;
  /** First runs of new checks are spread over this many ms, or over the check's period if that is shorter. */
  firstSpreadMs?: number | undefined;
  /** Most probes at once, 32 where left out. */
  maxInFlight?: number | undefined;
  /** Most bytes of results kept while the server is away, 256 MiB where left out. */
  spoolBytes?: number | undefined;
  logger: Logger;
  fetch?: typeof fetch | undefined;
  /** Ends the wait for a server that is away at the first start. */
  signal?: AbortSignal | undefined;
};

export type ProberStats = ReturnType<Measuring['stats']> &
  Uploader['counts'] &
  Spool['counts'] & {
    pendingBytes: number;
    /** This machine's clock minus the server's in ms; null before the first contact. */
    clockSkewMs: number | null;
  };

export type Prober = {
  stop(): Promise<void>;
  stats(): ProberStats;
  /** Resolves when the prober has stopped: with null when it was told to, with a sentence when the server ended it. */
  ended: Promise<string | null>;
};

/** Starts a prober; resolves once it is enrolled and knows its checks, rejects with an EnrolmentError. */
export async function startProber(options: ProberOptions): Promise<Prober> {
  const release = await lockFolder(options.dataDir);
  if (!release) {
    throw new EnrolmentError(`Another prober works in ${options.dataDir}: give each a folder of its own with --data.`);
  }
  try {
    const prober = await enrolAndRun(options);
    void prober.ended.finally(release);
    return prober;
  } catch (error) {
    release();
    throw error;
  }
}

async function enrolAndRun(options: ProberOptions): Promise<Prober> {
  const { logger, dataDir, token, signal } = options;
  const halt = new AbortController();
  const giveUp = () => halt.abort();
  signal?.addEventListener('abort', giveUp);
  const client = new IngestClient({ server: options.server, fetch: options.fetch, signal: halt.signal });
  const credential = await obtainCredential({ client, dataDir, token, logger, signal: halt.signal });
  // After the enrolment, which tells a wrong token at once, and before the first probe, which would pay for it.
  await warmUp(ProbeSettings.parse({}), realEnvironment());
  const { ready, ...prober } = run(options, client, credential, halt);
  signal?.removeEventListener('abort', giveUp); // from here on a stop ends in order
  signal?.addEventListener('abort', () => void prober.stop(), { once: true });
  const reason = await Promise.race([ready, prober.ended]);
  if (reason) throw new EnrolmentError(reason);
  return prober;
}

function run(options: ProberOptions, client: IngestClient, credential: string, halt: AbortController) {
  const { logger, dataDir, server, spoolBytes } = options;
  const warn = (message: string) => logger.warn(message);
  const spool = new Spool({ directory: join(dataDir, 'spool'), maxBytes: spoolBytes, warn });
  const measuring = new Measuring({
    environmentFor: options.environmentFor ?? always(realEnvironment()),
    firstSpreadMs: options.firstSpreadMs,
    maxInFlight: options.maxInFlight,
    logger,
    onResult: (result) => spool.append(result),
  });
  const store = new AssignmentStore({ dataDir, server, logger });
  measuring.apply(store.checks.values(), []);
  const ready = Promise.withResolvers<null>();
  if (store.revision !== undefined || store.checks.size > 0) ready.resolve(null);
  let clockSkewMs: number | null = null;
  const polling = pollAssignments({
    client,
    credential,
    store,
    logger,
    signal: halt.signal,
    onDelta(delta) {
      clockSkewMs = delta.skewMs;
      measuring.apply(delta.put, delta.removed);
      ready.resolve(null);
    },
  });

  const finish = new AbortController();
  const uploader = new Uploader({ spool, client, credential, logger });
  const uploading = uploader.run(finish.signal);

  const close = async () => {
    await measuring.stop(STOP_GRACE_MS);
    finish.abort();
    const timer = setTimeout(() => halt.abort(), STOP_GRACE_MS);
    await uploading;
    clearTimeout(timer);
    halt.abort();
    await polling;
    await spool.close();
  };
  let closing: Promise<void> | undefined;
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  const ended = Promise.race([polling, uploading]).then(async (reason) => {
    await closeOnce();
    return (
      reason && `The server no longer knows this prober's credential (${reason}): enrol it anew with a fresh token.`
    );
  });
  const stop = async () => {
    await closeOnce();
    await ended;
  };
  const stats = () => ({
    ...measuring.stats(),
    ...uploader.counts,
    ...spool.counts,
    pendingBytes: spool.pendingBytes,
    clockSkewMs,
  });
  return { stop, stats, ended, ready: ready.promise };
}

function always<T>(value: T): () => T {
  return () => value;
}
