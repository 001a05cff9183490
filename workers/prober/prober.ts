import { join } from 'node:path';
import type { Networks } from '#contract/public-address.ts';
import type { VantageRef } from '#contract/result.ts';
import type { ProbeEnvironment } from '#probe/environment.ts';
import { AssignmentStore } from './assignments.ts';
import { IngestClient } from './client.ts';
import { EnrolmentError, obtainCredential } from './credential.ts';
import { lockFolder } from './folder-lock.ts';
import type { Logger } from './logger.ts';
import { type Answer, AnswerSender, askForTasks, type Task } from './measurements.ts';
import type { Measurer, MeasuringStats } from './measuring.ts';
import { pollAssignments } from './poll.ts';
import { ProberClock } from './prober-clock.ts';
import { Quarantine } from './quarantine.ts';
import { Reports, watchShortage } from './report.ts';
import { ServerTime } from './server-time.ts';
import { Spool } from './spool.ts';
import type { SpooledResult } from './stamp.ts';
import { Standing } from './standing.ts';
import { ThreadPool } from './threads/pool.ts';
import { Uploader } from './upload.ts';

const STOP_GRACE_MS = 1_500;
/** Most bytes of results that wait for another try because of their time. */
const WAITING_BYTES = 64 * 1024 * 1024;

export type ProberOptions = {
  /** The server's address, as `https://monitor.example`. */
  server: string;
  /** The one-time enrolment token; needed once. */
  token?: string | undefined;
  /** Folder of the credential, the assignments and the spool: one prober each. */
  dataDir: string;
  /** Networks that are not public and may be reached where the server allows it too; none where left out. */
  allowPrivate?: Networks | undefined;
  /** Clock and network of a vantage, asked for every probe; the machine's own where left out. */
  environmentFor?: ((vantage: VantageRef) => ProbeEnvironment) | undefined;
  /** Threads that measure beside this one; 0 or left out measures in this one, as `environmentFor` needs it. */
  threads?: number | undefined;
  /** First runs of new checks are spread over this many ms, or over the check's period if that is shorter. */
  firstSpreadMs?: number | undefined;
  /** Most probes at once in a thread, 256 where left out. */
  maxInFlight?: number | undefined;
  /** Most bytes of disk that results take while the server is away, 1 GiB where left out. */
  spoolBytes?: number | undefined;
  /** How often (ms) a server that refuses the credential is asked again, and after how long (ms) the prober ends. */
  askAgainMs?: number | undefined;
  giveUpAfterMs?: number | undefined;
  /** How often (ms) results that were rejected for their time are sent again. */
  retryEveryMs?: number | undefined;
  /** A clean stop waits this long (ms) for probes under way, and as long again for the last upload; 1,500 where left out. */
  stopGraceMs?: number | undefined;
  logger: Logger;
  fetch?: typeof fetch | undefined;
  /** Ends the wait for a server that is away at the first start. */
  signal?: AbortSignal | undefined;
};

export type ProberStats = MeasuringStats &
  Uploader['counts'] &
  Spool['counts'] & {
    /** Bytes of disk and memory that results take which the server has not confirmed. */
    pendingBytes: number;
    /** Refused results on disk, and those that wait for another try because of their time. */
    quarantined: number;
    waitingBytes: number;
    /** Results in memory because the disk takes none. */
    inMemory: number;
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
  if (options.environmentFor && options.threads) throw new Error('environmentFor cannot be taken to other threads');
  const log = (line: string) => options.logger.warn(line);
  const lock = await lockFolder(options.dataDir, { signal: options.signal, log });
  if (!('release' in lock)) {
    throw new EnrolmentError(
      `Another prober works in ${options.dataDir} (process ${lock.pid} on host ${lock.host}): give each a folder of its own with --data.`,
    );
  }
  try {
    const prober = await enrolAndRun(options);
    void prober.ended.finally(lock.release);
    return prober;
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function enrolAndRun(options: ProberOptions): Promise<Prober> {
  const { logger, dataDir, token, signal } = options;
  const halt = new AbortController();
  const giveUp = () => halt.abort();
  signal?.addEventListener('abort', giveUp);
  const clock = new ProberClock({ aheadMs: null });
  const now = () => clock.now();
  const client = new IngestClient({ server: options.server, fetch: options.fetch, signal: halt.signal, now });
  const credential = await obtainCredential({ client, dataDir, token, logger, signal: halt.signal });
  const spool = spoolOf(options);
  // After the enrolment, which tells a wrong token at once.
  const answers = new AnswerSender({ client, credential, logger });
  const measurer = await measurerOf(options, spool, answers, clock);
  const { ready, ...prober } = run(options, client, credential, halt, spool, answers, measurer, clock);
  signal?.removeEventListener('abort', giveUp); // from here on a stop ends in order
  signal?.addEventListener('abort', () => void prober.stop(), { once: true });
  const reason = await Promise.race([ready, prober.ended]);
  if (reason) throw new EnrolmentError(reason);
  return prober;
}

function spoolOf({ dataDir, spoolBytes, logger }: ProberOptions): Spool {
  const warn = (message: string) => logger.warn(message);
  return new Spool({ directory: join(dataDir, 'spool'), maxBytes: spoolBytes, warn });
}

/** What measures: threads, or this one. Warm, so that no first probe pays for code that never ran. */
async function measurerOf(
  options: ProberOptions,
  spool: Spool,
  answers: AnswerSender,
  clock: ProberClock,
): Promise<Measurer> {
  const { threads = 0, allowPrivate: reachable = [], firstSpreadMs, maxInFlight, logger } = options;
  const onAnswer = (answer: Answer) => answers.add(answer);
  if (threads > 0) {
    const onLines = (lines: string[]) => {
      for (const line of lines) spool.append(line);
    };
    const pool = new ThreadPool({ threads, reachable, firstSpreadMs, maxInFlight, clock, logger, onLines, onAnswer });
    await pool.ready();
    return pool;
  }
  // The engine costs tens of megabytes in each thread that loads it.
  const { startMeasuring } = await import('./measuring.ts');
  const onResult = (result: SpooledResult) => spool.append(JSON.stringify(result));
  return startMeasuring({
    reachable,
    environmentFor: options.environmentFor,
    firstSpreadMs,
    maxInFlight,
    clock,
    logger,
    onResult,
    onAnswer,
  });
}

function run(
  options: ProberOptions,
  client: IngestClient,
  credential: string,
  halt: AbortController,
  spool: Spool,
  answers: AnswerSender,
  measuring: Measurer,
  clock: ProberClock,
) {
  const { logger, dataDir, server, stopGraceMs = STOP_GRACE_MS } = options;
  const store = new AssignmentStore({ dataDir, server, logger });
  measuring.apply(store.checks.values(), []);
  const onChange = (aheadMs: number) => measuring.correct(aheadMs);
  const time = new ServerTime({ dataDir, clock, logger, onChange });
  const standing = new Standing({ logger, askAgainMs: options.askAgainMs, giveUpAfterMs: options.giveUpAfterMs });
  const ready = Promise.withResolvers<null>();
  if (store.revision !== undefined || store.checks.size > 0) ready.resolve(null);
  let clockSkewMs: number | null = null;
  const polling = pollAssignments({
    client,
    credential,
    store,
    standing,
    time,
    logger,
    signal: halt.signal,
    onDelta(delta) {
      clockSkewMs = delta.skewMs;
      measuring.apply(delta.put, delta.removed);
      ready.resolve(null);
    },
    onRefused: () => ready.resolve(null),
  });

  const { signal } = halt;
  const onTask = (task: Task) => measuring.request(task);
  const onCancelled = (id: string) => measuring.takeBack(id);
  const asking = askForTasks({ client, credential, standing, logger, signal, onTask, onCancelled });
  const answering = answers.run(signal);

  const finish = new AbortController();
  const waiting = new Spool({
    directory: join(dataDir, 'waiting'),
    maxBytes: WAITING_BYTES,
    warn: (message) => logger.warn(`results that wait for another try: ${message}`),
  });
  const quarantine = new Quarantine({ directory: join(dataDir, 'quarantine'), logger });
  const reports: Reports = new Reports(() => ({
    ...measuring.stats(),
    dropped: spool.counts.dropped + waiting.counts.dropped + quarantine.dropped,
    rejected: uploader.counts.rejected,
    quarantined: quarantine.results,
    quarantineBytes: quarantine.bytes,
  }));
  const report = () => reports.next();
  const sinks = { spool, waiting, quarantine };
  const { retryEveryMs } = options;
  const settledUntil = () => measuring.settledUntil();
  const sending = { client, credential, standing, clock, time, logger, report, settledUntil };
  const uploader: Uploader = new Uploader({ ...sinks, ...sending, retryEveryMs });
  const uploading = uploader.run(finish.signal);

  const unwatch = watchShortage(() => measuring.stats(), logger);
  const close = async () => {
    unwatch();
    await measuring.stop(stopGraceMs);
    finish.abort();
    const timer = setTimeout(() => halt.abort(), stopGraceMs);
    await uploading;
    clearTimeout(timer);
    halt.abort();
    await Promise.all([polling, asking, answering]);
    await spool.close();
    await waiting.close();
  };
  let closing: Promise<void> | undefined;
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  const ended = Promise.race([polling, uploading]).then(async (reason) => {
    await closeOnce();
    return (
      reason &&
      `The server no longer knows this prober's credential (${reason}): enrol it again with a fresh token. Its results are kept.`
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
    quarantined: quarantine.results,
    waitingBytes: waiting.pendingBytes,
    inMemory: spool.inMemory,
    clockSkewMs,
  });
  return { stop, stats, ended, ready: ready.promise };
}
