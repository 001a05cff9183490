import type { Detection } from '#analysis/detection/sample.ts';
import { rulesOf } from '../alert-rules.ts';
import { getPrisma } from '../database.ts';
import { type Detected, describeDetections, storeDetections } from '../detection/detected.ts';
import { Engine } from '../detection/engine.ts';
import type { CheckSample } from '../detection/samples.ts';
import { placeOf } from '../detection/series.ts';
import { recordDetections } from '../incidents/record.ts';
import { vantageLabels } from '../vantage-labels.ts';
import { adopt } from './adopt.ts';
import { generatedLevels, spikeEnd } from './levels.ts';
import type { GeneratedLine, GeneratedSample } from './sample.ts';
import { type SpikeEnds, settleSpikes } from './settle.ts';

const DAY = 86_400;
const HOUR = 3_600;
/** Nothing is raised before a line is known: three days, as in the generator's own labels. */
const WARM_UP = 3 * DAY;
/** All that is found is written at once; ms. */
const TIMEOUT_MS = 120_000;

/** A stretch of the past, epoch seconds. */
type Window = { from: number; to: number };

/**
 * Runs the detector over the generated past as if it had come in live, stores what it raises with its incidents, and lets
 * the live detector go on from there. Everything is older than an hour, so that nobody is told. Says how much was found.
 */
export async function watchPast(window: Window, lines: readonly GeneratedLine[]): Promise<number> {
  const engine = new Engine();
  const raised = await raisedOver(engine, window, lines);
  const byCheck = new Map(lines.map((line) => [`${line.targetId} ${line.vantageId}`, line]));
  const { found, ends } = await located(raised, byCheck);
  const now = new Date();
  await getPrisma().$transaction(
    async (db) => {
      const rules = await rulesOf(db, 'detector');
      const hours = Map.groupBy(found, ({ at }) => Math.floor(at.getTime() / 1_000 / HOUR));
      for (const [hour, same] of hours) {
        await settleSpikes(db, ends, hour * HOUR, now);
        const fresh = await storeDetections(db, same);
        if (fresh.length > 0) await recordDetections(db, fresh, rules, now);
      }
      await settleSpikes(db, ends, window.to, now);
      const value = { ...window, watched: true };
      await db.setting.update({ where: { key: 'demo_past' }, data: { value } });
    },
    { timeout: TIMEOUT_MS },
  );
  await adopt(engine, window.to);
  return found.length;
}

async function raisedOver(engine: Engine, { from, to }: Window, lines: readonly GeneratedLine[]): Promise<Detection[]> {
  const vantages = await vantageLabels();
  const cursors = lines.map((line) => ({ line, next: 0 }));
  const raised: Detection[] = [];
  for (let hour = from; hour < to; hour += HOUR) {
    const read = cursors.flatMap((cursor) => takeUntil(cursor, hour + HOUR));
    read.sort((a, b) => a.sample.timestamp - b.sample.timestamp);
    const tick = engine.prepare({ seq: 0, from: hour, to: hour + HOUR }, read, vantages);
    for (const detections of engine.play(tick)) raised.push(...detections);
  }
  return raised.filter(({ at }) => at >= from + WARM_UP);
}

function takeUntil(cursor: { line: GeneratedLine; next: number }, end: number): CheckSample[] {
  const { targetId, vantageId, samples } = cursor.line;
  const taken: CheckSample[] = [];
  for (let sample = samples[cursor.next]; sample && sample.at < end; sample = samples[++cursor.next]) {
    taken.push({ targetId, vantageId, sample: seen(sample) });
  }
  return taken;
}

function seen({ at, ok, tcpMs, tlsMs, firstByteMs }: GeneratedSample): CheckSample['sample'] {
  return { timestamp: at, connect: tcpMs, tls: tlsMs, firstByte: firstByteMs, ok };
}

/** Detections as they are stored, with levels from what was generated, and when each spike was over. */
async function located(raised: Detection[], byCheck: ReadonlyMap<string, GeneratedLine>) {
  const found: Detected[] = await describeDetections(raised, new Set(raised.map(({ target }) => target)));
  const ends: SpikeEnds = new Map();
  raised.forEach((detection, index) => {
    const detected = found[index];
    const line = byCheck.get(`${detection.target} ${placeOf(detection).vantageId}`);
    if (!detected || !line) return;
    const levels = generatedLevels(line, detection);
    Object.assign(detected.cell, levels);
    const { targetId, vantageId, metric, at } = detected.cell;
    if (detection.kind === 'spike')
      ends.set(`${targetId} ${vantageId} ${metric} ${at}`, spikeEnd(line, detection, levels));
  });
  return { found, ends };
}
