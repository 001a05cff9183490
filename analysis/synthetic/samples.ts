import type { Dice } from './dice.ts';
import { eveningOf } from './evening.ts';
import { type LineEvent, weightAt } from './event.ts';
import { apply, type Conditions, calmConditions, type LineModel } from './line.ts';
import { rippleOf } from './ripple.ts';

/** One probe. `at` in epoch seconds; the rest milliseconds. A failed probe has no connect, tls and first byte. */
export type SyntheticSample =
  | { at: number; dnsMs: number; ok: true; connectMs: number; tlsMs: number; ttfbMs: number }
  | { at: number; dnsMs: number; ok: false };

/** The probes of a line at `instants`, under `events`. */
export function* drawSamples(
  line: LineModel,
  instants: Iterable<number>,
  events: readonly LineEvent[],
  dice: Dice,
): Generator<SyntheticSample> {
  const level = levelOf(line, dice.fork('level'));
  const noise = dice.fork('samples');
  const touched = new Map<LineEvent, number>();
  for (const at of instants) {
    const conditions = conditionsAt(line, events, at, noise, touched);
    yield measure(line, conditions, at, level(at), noise);
  }
}

/** What acts on one probe; events that touch only some samples are decided here. */
function conditionsAt(
  line: LineModel,
  events: readonly LineEvent[],
  at: number,
  dice: Dice,
  touched: Map<LineEvent, number>,
): Conditions {
  const conditions = calmConditions(line.target);
  for (const event of events) {
    const weight = weightAt(event, at);
    if (weight === 0 || (event.hitShare < 1 && !dice.chance(event.hitShare))) continue;
    const count = (touched.get(event) ?? 0) + 1;
    if (count > event.maxSamples) continue;
    touched.set(event, count);
    apply(conditions, event.effect, weight);
  }
  return conditions;
}

/** Slow factors on the round trip and on work, and the share that the evening adds to the round trip. */
type Level = { rtt: number; work: number; evening: number };

/** Evening, wander and swell (two autoregressions, exact at uneven instants, the second in part the carrier's), load of the target. */
function levelOf(line: LineModel, dice: Dice): (at: number) => Level {
  const evening = eveningOf(line);
  const carrier = rippleOf(line.carrierSeed, line.sharedSeconds);
  const load = rippleOf(line.target.loadSeed, line.target.loadSeconds);
  const [own, shared] = [line.swell * Math.sqrt(1 - line.swellShared), line.swell * Math.sqrt(line.swellShared)];
  let last = Number.NaN;
  let swell = dice.normal();
  let wander = dice.normal();
  const step = (value: number, passed: number, memory: number) => {
    const kept = Math.exp(-passed / memory);
    return kept * value + Math.sqrt(1 - kept * kept) * dice.normal();
  };
  return (at) => {
    if (!Number.isNaN(last)) {
      swell = step(swell, at - last, line.swellSeconds);
      wander = step(wander, at - last, line.wanderSeconds);
    }
    last = at;
    const peak = evening(at);
    const slow = own * swell + shared * carrier(at) + line.wander * wander;
    return { rtt: Math.exp(slow) * (1 + peak), work: Math.exp(line.target.load * load(at)), evening: peak };
  };
}

function measure(line: LineModel, conditions: Conditions, at: number, level: Level, dice: Dice): SyntheticSample {
  const dnsMs = quantised(line.dnsMs * conditions.dnsFactor * dice.factor(0.35), line);
  if (dice.chance(line.failure) || dice.chance(conditions.failing)) return { at, dnsMs, ok: false };
  const path = line.paths.length === 1 ? 1 : pathOf(line, dice);
  const rtt = (line.rttMs * path * conditions.rttFactor + conditions.rttMs) * level.rtt;
  const jitter = line.jitter * conditions.spread * (1 + level.evening);
  const tail = dice.chance(line.tail) ? Math.min(20, 0.2 * ((1 - dice.next()) ** (-1 / 1.5) - 0.5)) * (rtt + 5) : 0;
  const phase = tail > 0 ? dice.integer(0, 2) : -1;
  const lossFactor = conditions.lossFactor * (1 + level.evening);
  const wait = (number: number) => dice.exponential(line.queueMs) + (phase === number ? tail : 0);

  const connectMs = rtt * dice.factor(jitter) + wait(0) + synLoss(line, lossFactor, dice);
  if (line.target.echo) return sampleOf(line, { at, dnsMs, connectMs, tlsMs: connectMs, ttfbMs: connectMs });
  const tlsMs =
    handshake(line, conditions, { rtt, work: level.work }, jitter, dice) +
    wait(1) +
    segmentLoss(line, lossFactor, dice);
  const work = line.target.firstByteMs * level.work * dice.factor(line.target.firstByteSpread) + conditions.firstByteMs;
  const ttfbMs = rtt * dice.factor(jitter) + Math.max(0, work) + wait(2) + segmentLoss(line, lossFactor * 0.5, dice);
  return sampleOf(line, { at, dnsMs, connectMs, tlsMs, ttfbMs });
}

function sampleOf(
  line: LineModel,
  {
    at,
    dnsMs,
    connectMs,
    tlsMs,
    ttfbMs,
  }: { at: number; dnsMs: number; connectMs: number; tlsMs: number; ttfbMs: number },
): SyntheticSample {
  const step = (ms: number) => quantised(ms, line);
  return { at, dnsMs, ok: true, connectMs: step(connectMs), tlsMs: step(tlsMs), ttfbMs: step(ttfbMs) };
}

function pathOf(line: LineModel, dice: Dice): number {
  let left = dice.next();
  for (const path of line.paths) {
    left -= path.share;
    if (left < 0) return path.rttFactor;
  }
  return line.paths[0]?.rttFactor ?? 1;
}

/** Round trips x RTT + work; jitters of several round trips partly cancel. */
function handshake(
  line: LineModel,
  conditions: Conditions,
  level: { rtt: number; work: number },
  jitter: number,
  dice: Dice,
): number {
  const { target } = line;
  const resumed = dice.chance(conditions.resumedShare);
  const whole = Math.floor(conditions.roundTrips);
  const more = whole + (dice.chance(conditions.roundTrips - whole) ? 1 : 0);
  const trips = Math.max(0, (resumed ? target.resumedTrips : target.fullTrips) + more);
  const work = (resumed ? target.resumedWorkMs : target.fullWorkMs) * level.work * dice.factor(target.workSpread);
  const server = conditions.serverMs * dice.factor(Math.min(0.25, target.workSpread));
  return trips * level.rtt * dice.factor(jitter / Math.sqrt(Math.max(1, trips))) + Math.max(0, work + server);
}

/** A lost SYN is sent again after 1 s, then after 2 s more. */
function synLoss(line: LineModel, factor: number, dice: Dice): number {
  const draw = dice.next();
  if (draw < line.loss3s * factor) return 3_000;
  return draw < (line.loss3s + line.loss1s) * factor ? 1_000 : 0;
}

/** A lost segment of an open connection is sent again after 200 ms or more; seldom 1 s or 3 s, of a slow start's time-out. */
function segmentLoss(line: LineModel, factor: number, dice: Dice): number {
  if (dice.chance(line.loss * factor)) return 200 + dice.exponential(4);
  return synLoss(line, factor * 0.5, dice);
}

function quantised(ms: number, line: LineModel): number {
  return Math.max(line.stepMs, Math.round(ms / line.stepMs) * line.stepMs);
}
