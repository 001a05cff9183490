// What /metrics answers. A scrape must say something while the database is away, since that is when somebody looks: the process's own
// figures always, those of targets as they were last read.

import { Gauge, Registry } from 'prom-client';
import { type Caller, identify, identifyFromMemory, refuseBadKey } from '#server/access/access.ts';
import { isDatabaseAway, isTooSlow, within } from '#server/database/faults.ts';
import { detectionMetrics } from '#server/detection/metrics.ts';
import manifest from '../../package.json' with { type: 'json' };
import { databaseAnswers } from './health.ts';
import { processMetrics, targetMetrics } from './monitoring.ts';

/** So long, ms, figures are waited for from a database that answers: Prometheus gives a scrape up after 10 s. */
const READ_MS = 5_000;

/** What was read last; `at` in ms of the monotonic clock. */
type Read = { text: string; at: number };
let lastRead: Read | null = null;
let reading: Promise<Read> | null = null;

/** All that this caller may read, in the text format of Prometheus. Throws `unauthorised` for a key that the database refuses. */
export async function scrape(request: Request): Promise<string> {
  const caller = await findCaller(request);
  refuseBadKey(caller);
  const up = new Registry();
  new Gauge({ name: 'roundtrip_up', help: '1 while the process answers', registers: [up] }).set(1);
  new Gauge({
    name: 'roundtrip_build_info',
    help: '1, with the version',
    labelNames: ['version'],
    registers: [up],
  }).set({ version: manifest.version }, 1);
  const parts = [up.metrics(), ...(caller.scope === null ? [] : [processMetrics(), databasePart()])];
  return (await Promise.all(parts)).join('\n');
}

async function findCaller(request: Request): Promise<Caller> {
  const identified = identify(request);
  // Those who show nothing are known without the database.
  if (!request.headers.has('authorization') && !request.headers.has('cookie')) return identified;
  const isUp = await Promise.race([identified.then(() => true).catch(() => true), databaseAnswers()]);
  try {
    if (isUp) return await identified;
    identified.catch(() => {});
  } catch (error) {
    if (!isOfDatabase(error)) throw error;
  }
  return identifyFromMemory(request);
}

async function databasePart(): Promise<string> {
  const isUp = await databaseAnswers();
  const read = (isUp ? await readNow() : null) ?? lastRead;
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'roundtrip_database_up',
    help: '1 where the database answers within a second, else 0',
    registers,
  }).set(Number(isUp));
  if (read === null) return registry.metrics();
  new Gauge({
    name: 'roundtrip_targets_age_seconds',
    help: 'Age of the figures of targets, probers and detection: over 5 where the database does not give newer ones',
    registers,
  }).set((performance.now() - read.at) / 1_000);
  return [await registry.metrics(), read.text].join('\n');
}

/** Null where the database has not given them in time: a read that goes on is waited for by the next scrape. */
async function readNow(): Promise<Read | null> {
  reading ??= readTargets().finally(() => {
    reading = null;
  });
  try {
    return await within(READ_MS, reading);
  } catch (error) {
    if (!isOfDatabase(error)) throw error;
    return null;
  }
}

async function readTargets(): Promise<Read> {
  const at = performance.now();
  const parts = await Promise.all([targetMetrics(), detectionMetrics()]);
  lastRead = { text: parts.join('\n'), at };
  return lastRead;
}

const isOfDatabase = (error: unknown) => isDatabaseAway(error) || isTooSlow(error);
