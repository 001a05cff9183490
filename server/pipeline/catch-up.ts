import type { Detection } from '#analysis/detection/detection.ts';
import type { AdoptedSpike } from '#analysis/detection/detector.ts';
import { WATCHED_METRICS } from '#contract/vocabulary.ts';
import { getPrisma } from '#server/database/database.ts';
import { Checkpoints } from '#server/detection/checkpoint.ts';
import { consumeTick } from '#server/detection/consume.ts';
import { Engine } from '#server/detection/detection.ts';
import { dropTicksAfter, newestSeq } from '#server/detection/log.ts';
import { countSamples, oldestSample, readSamples } from '#server/detection/samples.ts';
import { noWork } from '#server/detection/status.ts';
import { log } from '#server/environment/log.ts';
import { recordOf } from '#server/incidents/row.ts';
import { endForgotten } from '#server/incidents/settle.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { type Memory, TRANSACTION } from './memory.ts';

// A detector without a state (the first start on a database that has results, or an update to a version that reads the stored state no
// more) knows what it has gone through, in order, as any other result: nothing is known in two ways.

/** So many days it goes back at most, ... */
export const HISTORY_DAYS = 14;
/** ... and about so many results: four minutes of CPU time. */
export const HISTORY_RESULTS = 10_000_000;

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/** Where a detector that knows nothing begins, to know what it can by `end`; null where nothing was measured. Seconds since 1970. */
export async function historyBefore(end: number, mostResults = HISTORY_RESULTS): Promise<number | null> {
  const perHour = Math.max(1, await countSamples(end - HOUR_SECONDS, end));
  const seconds = Math.min(HISTORY_DAYS * DAY_SECONDS, Math.floor(mostResults / perHour) * HOUR_SECONDS);
  return await oldestSample(end - seconds);
}

/** So many of what a new version would have raised are named in the log. */
const NAMED = 20;

/**
 * After an update to a version that cannot go on with the stored state: what was measured before is gone through in silence; the log
 * says what this version would have raised. Spikes that people were told of go on; those of series without results end.
 */
export async function learnAnew(memory: Memory, now: number): Promise<void> {
  memory.isEmpty = false;
  const { position } = memory;
  if (position === null) return;
  const from = (await historyBefore(position)) ?? position;
  log.info(
    { from, position },
    'the stored state of detection is of another version: the past is gone through anew, in silence',
  );
  const engine = new Engine();
  const found = await judgeInSilence(engine, from, position);
  const adopted = engine.adopt(await openCells());
  const wouldRaise = found
    .slice(-NAMED)
    .map(({ kind, metric, target, vantage, at }) => ({ kind, metric, target, vantage, at }));
  log.info(
    { series: engine.seriesSince(0), position, adopted: adopted.length, found: found.length, wouldRaise },
    'detection knows the past again',
  );
  await goOnWith(memory, engine, position);
  const known = adopted.map((spike) => ({ ...spike, quietSince: null }));
  await getPrisma().$transaction((db) => endForgotten(db, known, position, new Date(now)), TRANSACTION);
}

/** A stretch of what is judged in silence, seconds. */
const SILENT_STRETCH = 600;

/** Lets an engine consume [from, to), of which nobody is told; what it would have raised. */
async function judgeInSilence(engine: Engine, from: number, to: number): Promise<Detection[]> {
  const found: Detection[] = [];
  const vantages = await vantageLabels();
  for (let at = from; at < to; at += SILENT_STRETCH) {
    const range = { from: at, to: Math.min(to, at + SILENT_STRETCH) };
    const tick = engine.prepare({ seq: 0, ...range }, await readSamples(range.from, range.to), vantages);
    found.push(...(await consumeTick({ engine, work: noWork() }, tick)).found);
  }
  return found;
}

/** Makes an engine that was just made the one that goes on, from `position` on. */
async function goOnWith(memory: Memory, engine: Engine, position: number): Promise<void> {
  const seq = await newestSeq();
  memory.checkpoints = new Checkpoints();
  await memory.checkpoints.save({ seq, to: position, state: engine.state(), late: memory.late });
  await dropTicksAfter(seq);
  Object.assign(memory, { engine, seq, position, forgotten: engine.forgotten(), checkpointed: { seq, position } });
}

/** The spikes of incidents that are not over: people were told that they are under way. */
async function openCells(): Promise<AdoptedSpike[]> {
  const rows = await getPrisma().incident.findMany({
    where: { kind: { in: ['spike', 'regression', 'down'] }, status: { not: 'resolved' } },
    orderBy: { id: 'asc' },
  });
  const labels = await vantageLabels();
  return rows.flatMap((row) =>
    recordOf(row).cells.flatMap(
      ({ kind, metric: name, targetId: target, vantageId, variant, changeAt, recoveredAt }) => {
        const vantage = labels.get(vantageId ?? '');
        const metric = WATCHED_METRICS.find((each) => each === name);
        if (kind !== 'spike' || recoveredAt !== null || !vantage || !metric || target === null) return [];
        const { id, country, region, carrier } = vantage;
        const seconds = Math.floor(Date.parse(changeAt) / 1_000);
        return [
          { target, vantage: id, country, region, carrier, ...(variant && { variant }), metric, changeAt: seconds },
        ];
      },
    ),
  );
}
