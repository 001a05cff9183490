import type { Detection } from '#analysis/detection/detection.ts';
import type { AdoptedSpike } from '#analysis/detection/detector.ts';
import { slotSeconds } from '#analysis/detection/parameters.ts';
import { WATCHED_METRICS } from '#contract/vocabulary.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { consumeTick } from '#server/detection/consume.ts';
import type { Engine } from '#server/detection/detection.ts';
import { readPasts } from '#server/detection/past.ts';
import { countSamples, readSamples } from '#server/detection/samples.ts';
import { noWork } from '#server/detection/status.ts';
import { recordOf, type StoredCell } from '#server/incidents/row.ts';
import { vantageLabels } from '#server/vantages/labels.ts';

// Relearning: what an engine knows of a series is made anew from rollups, within milliseconds a series, and without a word. After it
// spikes that people were told of are under way again, so that the engine says when they are over.

const HOUR_SECONDS = 3_600;
/** Where rollups are missing, so many results are read in their place at most, and at least those of some hours. */
const MOST_RESULTS = 3_000_000;
const LEAST_RESULT_HOURS = 3;
const MOST_RESULT_HOURS = 8 * 24;

/** After so many ms other work of the process gets its turn. */
const TURN_MS = 8;

/** Lets an engine learn the past of all series up to `until`, the end of a half hour (seconds since 1970); how many there were. */
export async function relearn(engine: Engine, until: number): Promise<number> {
  const perHour = Math.max(1, await countSamples(until - HOUR_SECONDS, until));
  const hours = Math.min(MOST_RESULT_HOURS, Math.max(LEAST_RESULT_HOURS, Math.floor(MOST_RESULTS / perHour)));
  let since = performance.now();
  let series = 0;
  for await (const { targetId, vantage, variant, past } of readPasts(until, hours)) {
    engine.learn(targetId, vantage, variant, past, until);
    series += 1;
    if (performance.now() - since < TURN_MS) continue;
    await new Promise(setImmediate);
    since = performance.now();
  }
  engine.learnt(until);
  return series;
}

/** So many seconds before an instant are judged in silence, a stretch at a time. */
const SILENT_SECONDS = 2 * HOUR_SECONDS;
const SILENT_STRETCH = 600;

/** Lets an engine learn the past up to two hours before `position`, which are to be judged in silence: up to when, and of how many series. */
export async function relearnBefore(engine: Engine, position: number): Promise<{ until: number; series: number }> {
  const until = Math.floor((position - SILENT_SECONDS) / slotSeconds) * slotSeconds;
  return { until, series: await relearn(engine, until) };
}

/** Lets an engine consume [from, to), of which nobody is told; what it would have raised. */
export async function judgeInSilence(engine: Engine, from: number, to: number): Promise<Detection[]> {
  const found: Detection[] = [];
  for (let at = from; at < to; at += SILENT_STRETCH) {
    const range = { from: at, to: Math.min(to, at + SILENT_STRETCH) };
    const tick = engine.prepare({ seq: 0, ...range }, await readSamples(range.from, range.to), await vantageLabels());
    found.push(...(await consumeTick({ engine, work: noWork() }, tick)).found);
  }
  return found;
}

const SPIKED = { kind: { in: ['spike', 'regression', 'down'] } };

/** The spikes of incidents that are not over. */
export async function openCells(): Promise<AdoptedSpike[]> {
  return await spikesOf({ status: { not: 'resolved' } }, ({ recoveredAt }) => recoveredAt === null);
}

/** The spikes that people were told of and that were under way at an instant, seconds since 1970. */
export async function cellsOpenAt(instant: number): Promise<AdoptedSpike[]> {
  const [at, ms] = [new Date(instant * 1_000), instant * 1_000];
  return await spikesOf(
    { openedAt: { lt: at }, OR: [{ resolvedAt: null }, { resolvedAt: { gt: at } }] },
    ({ at: found, recoveredAt }) => Date.parse(found) < ms && (recoveredAt === null || Date.parse(recoveredAt) > ms),
  );
}

async function spikesOf(
  where: Prisma.IncidentWhereInput,
  isUnderWay: (cell: StoredCell) => boolean,
): Promise<AdoptedSpike[]> {
  const rows = await getPrisma().incident.findMany({ where: { ...SPIKED, ...where }, orderBy: { id: 'asc' } });
  const labels = await vantageLabels();
  return rows.flatMap((row) =>
    recordOf(row).cells.flatMap((cell) => {
      const vantage = labels.get(cell.vantageId ?? '');
      const metric = WATCHED_METRICS.find((each) => each === cell.metric);
      if (cell.kind !== 'spike' || !isUnderWay(cell) || !vantage || !metric || cell.targetId === null) return [];
      const { id, country, region, carrier } = vantage;
      const changeAt = Math.floor(Date.parse(cell.changeAt) / 1_000);
      const { targetId: target, variant } = cell;
      return [{ target, vantage: id, country, region, carrier, ...(variant && { variant }), metric, changeAt }];
    }),
  );
}
