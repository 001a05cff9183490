import { dailyPeakOf } from './daily-peak.ts';
import { type SeriesEvent, weightAt } from './event.ts';
import type { Random } from './random.ts';
import { apply, type Conditions, calmConditions, type SeriesModel } from './series-model.ts';
import { sharedNoiseOf } from './shared-noise.ts';

/** One probe. `at` in epoch seconds; the rest milliseconds. A failed probe has no connect, tls and first byte. */
export type SyntheticSample =
  | { at: number; dnsMs: number; ok: true; tcpMs: number; tlsMs: number; firstByteMs: number }
  | { at: number; dnsMs: number; ok: false };

/** The probes of a series at `instants`, under `events`. */
export function* drawSamples(
  model: SeriesModel,
  instants: Iterable<number>,
  events: readonly SeriesEvent[],
  random: Random,
): Generator<SyntheticSample> {
  const level = levelOf(model, random.fork('level'));
  const noise = random.fork('samples');
  const touched = new Map<SeriesEvent, number>();
  for (const at of instants) {
    const conditions = conditionsAt(model, events, at, noise, touched);
    yield measure(model, conditions, at, level(at), noise);
  }
}

/** What acts on one probe; events that touch only some samples are decided here. */
function conditionsAt(
  model: SeriesModel,
  events: readonly SeriesEvent[],
  at: number,
  random: Random,
  touched: Map<SeriesEvent, number>,
): Conditions {
  const conditions = calmConditions(model.target);
  for (const event of events) {
    const weight = weightAt(event, at);
    if (weight === 0 || (event.hitShare < 1 && !random.chance(event.hitShare))) continue;
    const count = (touched.get(event) ?? 0) + 1;
    if (count > event.maxSamples) continue;
    touched.set(event, count);
    apply(conditions, event.effect, weight);
  }
  return conditions;
}

/** Slow factors on the round trip and on work, and the share that the evening adds to the round trip. */
type Level = { rtt: number; work: number; dailyPeak: number };

/** Evening, wander and correlated noise (two autoregressions, exact at uneven instants, the second in part the carrier's), load of the target. */
function levelOf(model: SeriesModel, random: Random): (at: number) => Level {
  const dailyPeak = dailyPeakOf(model);
  const carrier = sharedNoiseOf(model.carrierSeed, model.sharedSeconds);
  const load = sharedNoiseOf(model.target.loadSeed, model.target.loadSeconds);
  const [own, shared] = [
    model.correlatedNoise * Math.sqrt(1 - model.correlatedShared),
    model.correlatedNoise * Math.sqrt(model.correlatedShared),
  ];
  let last = Number.NaN;
  let correlatedNoise = random.normal();
  let wander = random.normal();
  const step = (value: number, passed: number, memory: number) => {
    const kept = Math.exp(-passed / memory);
    return kept * value + Math.sqrt(1 - kept * kept) * random.normal();
  };
  return (at) => {
    if (!Number.isNaN(last)) {
      correlatedNoise = step(correlatedNoise, at - last, model.correlatedSeconds);
      wander = step(wander, at - last, model.wanderSeconds);
    }
    last = at;
    const peak = dailyPeak(at);
    const slow = own * correlatedNoise + shared * carrier(at) + model.wander * wander;
    return { rtt: Math.exp(slow) * (1 + peak), work: Math.exp(model.target.load * load(at)), dailyPeak: peak };
  };
}

function measure(
  model: SeriesModel,
  conditions: Conditions,
  at: number,
  level: Level,
  random: Random,
): SyntheticSample {
  const dnsMs = quantised(model.dnsMs * conditions.dnsFactor * random.factor(0.35), model);
  if (random.chance(model.failure) || random.chance(conditions.failing)) return { at, dnsMs, ok: false };
  const path = model.paths.length === 1 ? 1 : pathOf(model, random);
  const rtt = (model.rttMs * path * conditions.rttFactor + conditions.rttMs) * level.rtt;
  const jitter = model.jitter * conditions.spread * (1 + level.dailyPeak);
  const tail = random.chance(model.tail)
    ? Math.min(20, 0.2 * ((1 - random.next()) ** (-1 / 1.5) - 0.5)) * (rtt + 5)
    : 0;
  const phase = tail > 0 ? random.integer(0, 2) : -1;
  const lossFactor = conditions.lossFactor * (1 + level.dailyPeak);
  const wait = (number: number) => random.exponential(model.queueMs) + (phase === number ? tail : 0);

  const tcpMs = rtt * random.factor(jitter) + wait(0) + synLoss(model, lossFactor, random);
  if (model.target.echo) return sampleOf(model, { at, dnsMs, tcpMs, tlsMs: tcpMs, firstByteMs: tcpMs });
  const tlsMs =
    handshake(model, conditions, { rtt, work: level.work }, jitter, random) +
    wait(1) +
    segmentLoss(model, lossFactor, random);
  const work =
    model.target.firstByteMs * level.work * random.factor(model.target.firstByteSpread) + conditions.firstByteMs;
  const firstByteMs =
    rtt * random.factor(jitter) + Math.max(0, work) + wait(2) + segmentLoss(model, lossFactor * 0.5, random);
  return sampleOf(model, { at, dnsMs, tcpMs, tlsMs, firstByteMs });
}

function sampleOf(
  model: SeriesModel,
  {
    at,
    dnsMs,
    tcpMs,
    tlsMs,
    firstByteMs,
  }: { at: number; dnsMs: number; tcpMs: number; tlsMs: number; firstByteMs: number },
): SyntheticSample {
  const step = (ms: number) => quantised(ms, model);
  return { at, dnsMs, ok: true, tcpMs: step(tcpMs), tlsMs: step(tlsMs), firstByteMs: step(firstByteMs) };
}

function pathOf(model: SeriesModel, random: Random): number {
  let left = random.next();
  for (const path of model.paths) {
    left -= path.share;
    if (left < 0) return path.rttFactor;
  }
  return model.paths[0]?.rttFactor ?? 1;
}

/** Round trips x RTT + work; jitters of several round trips partly cancel. */
function handshake(
  model: SeriesModel,
  conditions: Conditions,
  level: { rtt: number; work: number },
  jitter: number,
  random: Random,
): number {
  const { target } = model;
  const resumed = random.chance(conditions.resumedShare);
  const whole = Math.floor(conditions.roundTrips);
  const more = whole + (random.chance(conditions.roundTrips - whole) ? 1 : 0);
  const trips = Math.max(0, (resumed ? target.resumedTrips : target.fullTrips) + more);
  const work = (resumed ? target.resumedWorkMs : target.fullWorkMs) * level.work * random.factor(target.workSpread);
  const server = conditions.serverMs * random.factor(Math.min(0.25, target.workSpread));
  return trips * level.rtt * random.factor(jitter / Math.sqrt(Math.max(1, trips))) + Math.max(0, work + server);
}

/** A lost SYN is sent again after 1 s, then after 2 s more. */
function synLoss(model: SeriesModel, factor: number, random: Random): number {
  const draw = random.next();
  if (draw < model.loss3s * factor) return 3_000;
  return draw < (model.loss3s + model.loss1s) * factor ? 1_000 : 0;
}

/** A lost segment of an open connection is sent again after 200 ms or more; seldom 1 s or 3 s, of a slow start's time-out. */
function segmentLoss(model: SeriesModel, factor: number, random: Random): number {
  if (random.chance(model.loss * factor)) return 200 + random.exponential(4);
  return synLoss(model, factor * 0.5, random);
}

function quantised(ms: number, model: SeriesModel): number {
  return Math.max(model.stepMs, Math.round(ms / model.stepMs) * model.stepMs);
}
