import { keepYoungGenerationSmall } from '#probe/load/young-generation.ts';
import { EnrolmentError } from './credential.ts';
import { processLogger } from './logger.ts';
import { raisePriority } from './priority.ts';
import { type Prober, type ProberOptions, startProber } from './prober.ts';

/** Who adds a target wants to see it work: first runs come within this time (ms) where the prober is not too full. */
const FIRST_SPREAD_MS = 5_000;

/**
 * A prober as a whole process: runs until SIGINT, SIGTERM or the end of the parent, and returns the exit status (0 when
 * told to stop, 1 with a sentence on standard error when the server refuses it). Sends a parent `{ ready: true }`.
 */
export async function runProber(
  options: Omit<ProberOptions, 'logger' | 'signal'> & { logLevel?: string },
): Promise<number> {
  const logger = processLogger(options.logLevel ?? 'info');
  raisePriority();
  keepYoungGenerationSmall();
  const halt = new AbortController();
  const abort = () => halt.abort();
  const events = ['SIGINT', 'SIGTERM', 'disconnect'] as const;
  for (const event of events) process.once(event, abort);
  try {
    const prober = await startProber({ firstSpreadMs: FIRST_SPREAD_MS, ...options, logger, signal: halt.signal });
    process.send?.({ ready: true });
    logger.info(`measuring ${prober.stats().checks} checks for ${options.server}`);
    return await untilEnd(prober);
  } catch (error) {
    return halt.signal.aborted ? 0 : failed(error, options.dataDir);
  } finally {
    for (const event of events) process.off(event, abort);
  }
}

async function untilEnd(prober: Prober): Promise<number> {
  const reason = await prober.ended;
  if (reason === null) return 0;
  process.stderr.write(`roundtrip: ${reason}\n`);
  return 1;
}

function failed(error: unknown, dataDir: string): number {
  process.stderr.write(`roundtrip: ${sentenceFor(error, dataDir)}\n`);
  return 1;
}

function sentenceFor(error: unknown, dataDir: string): string {
  if (error instanceof EnrolmentError) return error.message;
  if (error instanceof Error && 'syscall' in error) return `The prober cannot work in ${dataDir}: ${error.message}`;
  return error instanceof Error ? `${error.stack}` : String(error);
}
