// Pushes what /metrics/probes answers to an OpenTelemetry collector, by OTLP (docs/operations.md, “OpenTelemetry”). Loaded where
// OTEL_EXPORTER_OTLP_ENDPOINT is set. When, how often again, and in what form is the SDK's; here are the figures and who pushes which.

import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DiagLogLevel, diag, type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { PoolClient } from 'pg';
import { runAs } from '#server/database/database.ts';
import { within } from '#server/database/faults.ts';
import { lockConnection, releaseLock } from '#server/database/lock.ts';
import { log } from '#server/environment/log.ts';
import manifest from '../../package.json' with { type: 'json' };
import { BUCKETS, GAUGES, HISTOGRAMS, type PairFigures, pairFigures } from './probes.ts';

/** Data points of one request, at most: 3 MB, of which a collector takes 20. */
const BATCH = 10_000;
/** So long, ms, figures are waited for from a database that answers. */
const READ_MS = 10_000;
/** So long, ms, the last push may take: a supervisor gives a web process 2.5 s to end. */
const STOP_MS = 1_500;

/** `stop` pushes once more, waits for that STOP_MS at most, and lets another process push in place of this. Never rejects. */
export type Push = { stop: () => Promise<void> };

/** Pushes every `intervalMs`, and tries again what the collector did not take, until it is stopped. */
export function startPush(intervalMs: number): Push {
  const { name, version } = manifest;
  // Of several processes each has histograms of its own.
  const ours = { 'service.name': name, 'service.version': version, 'service.instance.id': randomUUID() };
  const resource = resourceFromAttributes(ours).merge(detectResources({ detectors: [envDetector] }));
  tellWarnings();
  const lead = createLead();
  const note = noter('figures cannot be read to be pushed');
  let reading: Promise<MetricData[]> | null = null;

  const producer: MetricProducer = {
    async collect() {
      reading ??= readMetrics(lead.take).finally(() => {
        reading = null;
      });
      const metrics = await within(READ_MS, reading).catch((error: Error) => error);
      note(metrics instanceof Error ? metrics : null);
      const read = metrics instanceof Error || metrics.length === 0 ? [] : [{ scope: { name, version }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics: read }, errors: [] };
    },
  };
  const provider = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new NotedExporter(),
        exportIntervalMillis: intervalMs,
        metricProducers: [producer],
        maxExportBatchSize: BATCH,
      }),
    ],
  });
  let stopped: Promise<void> | null = null;
  return {
    stop() {
      stopped ??= within(STOP_MS, provider.shutdown().finally(lead.release)).catch(() => {});
      return stopped;
    },
  };
}

/** The SDK's exporter, which retries by itself; when it has given up is logged. */
class NotedExporter extends OTLPMetricExporter {
  readonly #note = noter('figures cannot be pushed to the collector');

  override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
    super.export(metrics, (result) => {
      this.#note(result.code === 0 ? null : (result.error ?? new Error('it was not taken')));
      done(result);
    });
  }
}

/** Logs the first failure, and the first success after it. */
function noter(what: string): (failure: Error | null) => void {
  let fails = false;
  return (failure) => {
    if (fails === (failure !== null)) return;
    fails = failure !== null;
    // Not the error as it is: it may have what the collector answered.
    if (failure) log.error({ reason: failure.message || (failure as NodeJS.ErrnoException).code }, what);
    else log.info(`no longer: ${what}`);
  };
}

/** What the SDK cannot use of its environment, and figures that the collector took only in part; failures are noted above. */
function tellWarnings(): void {
  const silent = () => {};
  const warn = (message: string, ...more: unknown[]) => log.warn({ more }, `OpenTelemetry: ${message}`);
  diag.setLogger({ error: silent, warn, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
}

/**
 * Whether this process pushes what is of the installation and the same in all: the one that holds a lock, until it ends or loses its
 * connection.
 */
function createLead(): { take: () => Promise<boolean>; release: () => Promise<void> } {
  let leader: PoolClient | null = null;
  async function release(): Promise<void> {
    const client = leader;
    leader = null;
    await releaseLock(client);
  }
  return {
    release,
    async take() {
      try {
        // Not one of the few connections that pages have.
        leader ??= await runAs('jobs', () => lockConnection('push'));
        await leader?.query('select 1');
        return leader !== null;
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}

/** A family at a time: others get their turn in between. */
async function readMetrics(takeLead: () => Promise<boolean>): Promise<MetricData[]> {
  const figures = await pairFigures({}, { newest: await takeLead() });
  const endTime = hrTime(Date.now());
  const metrics: MetricData[] = [];
  for (const gauge of GAUGES) {
    metrics.push(gaugeOf(gauge, figures, endTime));
    await setImmediate();
  }
  for (const [number, histogram] of HISTOGRAMS.entries()) {
    metrics.push(histogramOf(histogram, number, figures, endTime));
    await setImmediate();
  }
  return metrics.filter(({ dataPoints }) => dataPoints.length > 0);
}

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
/** A gauge is of the moment: the protocol's word for no start. */
const NO_START: HrTime = [0, 0];

/** Names have their unit already: with another Prometheus would give them a second. */
const described = ({ name, help }: { name: string; help: string }) => ({
  descriptor: {
    name,
    description: help,
    unit: name.endsWith('_seconds') ? 's' : '',
    valueType: ValueType.DOUBLE,
  },
  // Counts since the start that each data point tells; those of a gauge are not summed.
  aggregationTemporality: AggregationTemporality.CUMULATIVE,
});

function gaugeOf(gauge: (typeof GAUGES)[number], figures: readonly PairFigures[], endTime: HrTime): MetricData {
  const dataPoints = figures.flatMap(({ labels, newest }) =>
    (newest === null ? [] : gauge.of(newest)).flatMap(([value, more]) => {
      const attributes = more ? { ...labels, [more[0]]: more[1] } : labels;
      return value === null ? [] : { startTime: NO_START, endTime, attributes, value };
    }),
  );
  return { ...described(gauge), dataPointType: DataPointType.GAUGE, dataPoints };
}

function histogramOf(
  histogram: (typeof HISTOGRAMS)[number],
  number: number,
  figures: readonly PairFigures[],
  endTime: HrTime,
): MetricData {
  const dataPoints = figures.flatMap(({ labels, histograms }) =>
    histograms.slice(number, number + 1).map(({ since, counts, count, sum }) => ({
      startTime: hrTime(since),
      endTime,
      attributes: labels,
      value: { buckets: { boundaries: BUCKETS, counts }, count, sum },
    })),
  );
  return { ...described(histogram), dataPointType: DataPointType.HISTOGRAM, dataPoints };
}
