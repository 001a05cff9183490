import type { AdoptedSpike } from '#analysis/detection/detector.ts';
import { WATCHED_METRICS } from '#contract/vocabulary.ts';
import { getPrisma } from '#server/database/database.ts';
import type { Engine } from '#server/detection/detection.ts';
import { readPasts } from '#server/detection/past.ts';
import { countSamples } from '#server/detection/samples.ts';
import { recordOf } from '#server/incidents/row.ts';
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

/** The spikes of incidents that are not over. */
export async function openCells(): Promise<AdoptedSpike[]> {
  const rows = await getPrisma().incident.findMany({
    where: { kind: { in: ['spike', 'regression', 'down'] }, status: { not: 'resolved' } },
    orderBy: { id: 'asc' },
  });
  const labels = await vantageLabels();
  return rows.flatMap((row) =>
    recordOf(row).cells.flatMap((cell) => {
      const vantage = labels.get(cell.vantageId ?? '');
      const metric = WATCHED_METRICS.find((each) => each === cell.metric);
      if (cell.kind !== 'spike' || cell.recoveredAt !== null || !vantage || !metric || cell.targetId === null)
        return [];
      const { id, country, region, carrier } = vantage;
      const changeAt = Math.floor(Date.parse(cell.changeAt) / 1_000);
      const { targetId: target, variant } = cell;
      return [{ target, vantage: id, country, region, carrier, ...(variant && { variant }), metric, changeAt }];
    }),
  );
}
