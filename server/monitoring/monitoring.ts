// What an operator's own monitoring reads. Prometheus metrics of this process and of the fleet at /metrics (this file; who gets
// which: `scrape.ts`), and at /api/health and /api/ready whether the process lives, the database answers and is of this
// version, the stored secrets can be opened, and the jobs were alive lately (`health.ts`).

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { IngestReport, ProberReport } from '#contract/ingest.ts';
import { readSnapshots } from '#server/advice/snapshots.ts';
import { unsealedDays } from '#server/blocks/blocks.ts';
import { replicaState } from '#server/database/replica.ts';
import { onceAProcess } from '#server/environment/once-a-process.ts';
import { certificateEnds } from '#server/figures/newest-probes.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { proberActivities } from '#server/vantages/reports.ts';
import { addBacklog } from './backlog.ts';

const OUTCOMES = ['accepted', 'duplicate', 'deferred', 'rejected'] as const;
const LIMITS = ['rate', 'new', 'database'] as const;
const RUNS = ['started', 'missed', 'retaken', 'unclean', 'dropped', 'rejected'] as const;

/** All counters are there, at 0, before anything happens: a rate then knows the first. */
function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // The sums of gauges by type, named as if they were counters.
  for (const noun of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${noun}_total`);
  const ingested = new Counter({
    name: 'roundtrip_ingested_results_total',
    help: 'Results handed in by probers, by what became of them',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const limited = new Counter({
    name: 'roundtrip_ingest_limited_results_total',
    help: 'Results that were not taken although they are in order, by the limit that they went over',
    labelNames: ['limit'],
    registers: [registry],
  });
  const runs = new Counter({
    name: 'roundtrip_prober_runs_total',
    help: 'Runs of checks that probers told of in their reports, by what became of them',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const requests = new Histogram({
    name: 'roundtrip_http_request_duration_seconds',
    help: 'Time to answer a request, by operation of the API and status',
    labelNames: ['operation', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
    registers: [registry],
  });
  for (const outcome of OUTCOMES) ingested.inc({ outcome }, 0);
  for (const limit of LIMITS) limited.inc({ limit }, 0);
  for (const outcome of RUNS) runs.inc({ outcome }, 0);
  return { registry, ingested, limited, runs, requests };
}

const metrics = onceAProcess('metrics', createMetrics);

/** Counts an ingested batch. */
export function countIngest(report: IngestReport): void {
  const { ingested } = metrics();
  ingested.inc({ outcome: 'accepted' }, report.accepted);
  ingested.inc({ outcome: 'duplicate' }, report.duplicates);
  const deferred = report.rejected.filter(({ retry }) => retry).length;
  ingested.inc({ outcome: 'deferred' }, deferred);
  ingested.inc({ outcome: 'rejected' }, report.rejected.length - deferred);
}

/** Counts results over a limit of ingest: `rate` of their check, `new` strings or certificates, `database` errors. */
export function countLimited(limit: (typeof LIMITS)[number], results: number): void {
  if (results > 0) metrics().limited.inc({ limit }, results);
}

/** Counts what a prober did since its last report. */
export function countRuns(report: ProberReport): void {
  const { runs } = metrics();
  for (const outcome of RUNS) runs.inc({ outcome }, report[outcome] ?? 0);
}

/** Notes how long an operation took, in seconds. */
export function observeRequest(operation: string, status: number, seconds: number): void {
  metrics().requests.observe({ operation, status }, seconds);
}

/** This process's own metrics in the text format of Prometheus: they name no target. */
export function processMetrics(): Promise<string> {
  return metrics().registry.metrics();
}

const TLS_QUANTILES = 'roundtrip_target_tls_seconds';

/** What targets and probers did over the last hour, in the text format of Prometheus. */
export async function targetMetrics(): Promise<string> {
  const registers = [new Registry()];
  const labelNames = ['target', 'name', 'demo'];
  const availability = new Gauge({
    name: 'roundtrip_target_availability_ratio',
    help: 'Successful results among those that did not fail by the prober’s fault, over the last hour',
    labelNames,
    registers,
  });
  const tls = new Gauge({
    name: TLS_QUANTILES,
    help: 'Time of the TLS handshake over the last hour',
    labelNames: [...labelNames, 'quantile'],
    registers,
  });
  const waste = new Gauge({
    name: 'roundtrip_waste_round_trips',
    help: 'Round trips of a visit that each code of advice would save, over the last 24 hours: the median of the vantages that show it',
    labelNames: [...labelNames, 'code'],
    registers,
  });
  const expiry = new Gauge({
    name: 'roundtrip_target_certificate_expiry_timestamp_seconds',
    help: 'When the first leaf certificate ends that the target shows, in seconds since 1970',
    labelNames,
    registers,
  });
  const [snapshots, ends] = await Promise.all([readSnapshots(), certificateEnds()]);
  for (const { id, name, demo, availability: ratio, p50, p95 } of await listTargetSummaries()) {
    const labels = { target: id, name, demo: String(demo) };
    if (ratio !== null) availability.set(labels, ratio);
    if (ends.has(id)) expiry.set(labels, ends.get(id) ?? 0);
    if (p50 !== null) tls.set({ ...labels, quantile: '0.5' }, p50 / 1_000);
    if (p95 !== null) tls.set({ ...labels, quantile: '0.95' }, p95 / 1_000);
    for (const { code, roundTrips } of snapshots.get(id)?.codes ?? []) waste.set({ ...labels, code }, roundTrips);
  }
  await addProberRuns(registers);
  await addReplica(registers);
  await addUnsealed(registers);
  await addBacklog(registers);
  const text = (await Promise.all(registers.map((registry) => registry.metrics()))).join('');
  // Quantiles over a moving window are a summary's, which prom-client makes of its own observations alone.
  return text.replace(`# TYPE ${TLS_QUANTILES} gauge`, `# TYPE ${TLS_QUANTILES} summary`);
}

/** How far the standby is behind, where there is one. */
async function addReplica(registers: Registry[]): Promise<void> {
  const replica = await replicaState();
  if (replica === null) return;
  const up = new Gauge({ name: 'roundtrip_replica_up', help: '1 where the standby answers, else 0', registers });
  up.set(replica.lagSeconds === null ? 0 : 1);
  if (replica.lagSeconds === null) return;
  const lag = new Gauge({
    name: 'roundtrip_replica_lag_seconds',
    help: 'How far the standby that answers exports is behind the database',
    registers,
  });
  lag.set(replica.lagSeconds);
}

/** Days that could not be sealed take several times their room, and are there at the next full disk. */
async function addUnsealed(registers: Registry[]): Promise<void> {
  const days = await unsealedDays(Date.now());
  if (days === null) return;
  const unsealed = new Gauge({
    name: 'roundtrip_results_unsealed_partitions',
    help: 'Days of results that have been over for three hours and are not sealed; 1 for half an hour a day',
    registers,
  });
  unsealed.set(days);
}

/** What each prober did over the last hour, where it told. */
async function addProberRuns(registers: Registry[]): Promise<void> {
  const runs = new Gauge({
    name: 'roundtrip_prober_runs_last_hour',
    help: 'Runs of the last hour that a prober told of, by what became of them',
    labelNames: ['prober', 'outcome'],
    registers,
  });
  for (const [prober, { lastHour }] of await proberActivities()) {
    for (const [outcome, n] of Object.entries(lastHour)) runs.set({ prober, outcome }, n);
  }
}
