import { Counter, Gauge, Registry } from 'prom-client';
import { INCIDENT_KINDS, INCIDENT_STATUSES } from '#contract/incident-vocabulary.ts';
import { getPrisma } from '#server/database/database.ts';
import { type DetectionStatus, noWork, readStatus } from './status.ts';

/** How detection and its incidents fare, in the text format of Prometheus. `now` in ms. */
export async function detectionMetrics(now = Date.now()): Promise<string> {
  const registry = new Registry();
  const status = await readStatus();
  addStatus(registry, status ?? { ...noWork(), series: 0 }, now / 1_000);
  await addIncidents(registry);
  return await registry.metrics();
}

function addStatus(
  registry: Registry,
  { position, series, samples, late, lateHalfHours, cpuMs }: Omit<DetectionStatus, 'position'> & { position?: number },
  now: number,
): void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  if (position !== undefined)
    gauge(
      'roundtrip_detection_lag_seconds',
      'Age of the newest results that detection has looked at; 3 to 20 s where probers say how far they are',
    ).set(Math.max(0, now - position));
  gauge('roundtrip_detection_series', 'Series (target and vantage) with results in the last hour looked at').set(
    series,
  );
  counter('roundtrip_detection_samples_total', 'Results that detection has looked at').inc(samples);
  counter(
    'roundtrip_detection_late_total',
    'Results that came within 75 minutes but too late for spikes; they reach the half hours',
  ).inc(late);
  counter(
    'roundtrip_detection_recomputed_slots_total',
    'Half hours of series that were computed again since results came late',
  ).inc(lateHalfHours);
  counter('roundtrip_detection_cpu_seconds_total', 'CPU time that the detector itself took').inc(cpuMs / 1_000);
}

async function addIncidents(registry: Registry): Promise<void> {
  const incidents = new Gauge({
    name: 'roundtrip_incidents_open',
    help: 'Incidents that are not resolved, by kind and status',
    labelNames: ['kind', 'status'],
    registers: [registry],
  });
  const rows = await getPrisma().incident.groupBy({
    by: ['kind', 'status'],
    where: { status: { not: 'resolved' } },
    _count: true,
  });
  const unresolved = INCIDENT_STATUSES.filter((status) => status !== 'resolved');
  for (const kind of INCIDENT_KINDS) for (const status of unresolved) incidents.set({ kind, status }, 0);
  for (const { kind, status, _count } of rows) incidents.set({ kind, status }, _count);
}
