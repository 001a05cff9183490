import type { Path, SeriesModel, TargetModel } from '#analysis/synthetic/series-model.ts';
import type { Random } from './random.ts';
import { type WorldRanges, within } from './ranges.ts';

export type Vantage = { region: string; carrier: string; x: number; y: number; accessMs: number };

const REGIONS = [
  'Beijing',
  'Tianjin',
  'Hebei',
  'Shanxi',
  'Liaoning',
  'Heilongjiang',
  'Shanghai',
  'Jiangsu',
  'Zhejiang',
  'Anhui',
  'Fujian',
  'Shandong',
  'Henan',
  'Hubei',
  'Hunan',
  'Guangdong',
  'Guangxi',
  'Hainan',
  'Chongqing',
  'Sichuan',
  'Yunnan',
  'Shaanxi',
  'Gansu',
  'Xinjiang',
] as const;
/** Where a world asks for more regions than these. */
const FURTHER = ['Inner Mongolia', 'Jilin', 'Jiangxi', 'Guizhou', 'Tibet', 'Qinghai', 'Ningxia'] as const;
const CARRIERS = ['telecom', 'unicom', 'mobile', 'cernet'] as const;

/** Carriers of a world: how high their evenings rise and a seed for how evenings differ. */
type CarrierModel = {
  name: string;
  weekday: number;
  weekend: number;
  hour: number;
  widthHours: number;
  variety: number;
  seed: number;
  sharedSeconds: number;
};

/** How many targets, regions and carriers a world has; drawn where left out. */
type Numbers = { targets?: number; regions?: number; carriers?: number };

/** The series of a world: `count` series of a few targets that share vantages. */
export function drawModels(ranges: WorldRanges, count: number, random: Random, numbers: Numbers = {}): SeriesModel[] {
  const targets = drawTargets(ranges, count, random.fork('targets'), numbers.targets);
  const carriers = drawCarriers(ranges, random.fork('carriers'), numbers.carriers);
  const names = numbers.regions === undefined ? REGIONS : [...REGIONS, ...FURTHER];
  const vantages = drawVantages(Math.ceil(count / targets.length), carriers, names, random.fork('vantages'));
  const pairs = targets.flatMap((target) => vantages.map((vantage) => ({ target, vantage })));
  const dailyPeaks = new Map(carriers.map((carrier) => [carrier.name, carrier]));
  return pairs.slice(0, count).map(({ target, vantage }) => {
    const dailyPeak = dailyPeaks.get(vantage.carrier);
    if (!dailyPeak) throw new Error(`no carrier ${vantage.carrier}`);
    const name = `${target.model.name}/${vantage.region}/${vantage.carrier}`;
    return drawModel(ranges, target, vantage, dailyPeak, random.fork(name));
  });
}

type PlacedTarget = { model: TargetModel; x: number; y: number; near: boolean };

function drawTargets(
  ranges: WorldRanges,
  count: number,
  random: Random,
  number = Math.min(count, random.integer(2, 6)),
): PlacedTarget[] {
  const period = within(ranges.periodSeconds, random);
  return Array.from({ length: number }, (_, index) => ({
    model: drawTarget(
      ranges,
      `t${index + 1}.example`,
      random.chance(0.7) ? period : within(ranges.periodSeconds, random),
      random,
    ),
    x: random.uniform(-0.3, 1.3),
    y: random.uniform(-0.3, 1.3),
    // A target in a content network is next door to everybody.
    near: random.chance(0.15),
  }));
}

function drawTarget(ranges: WorldRanges, name: string, period: number, random: Random): TargetModel {
  const recorded = ranges.style === 'recorded';
  const fullTrips = recorded ? 1 : random.pick([1, 1, 2, 2, 2, 3]);
  const fullWorkMs = recorded ? 0.05 : random.logUniform(1, 12) + (random.chance(0.3) ? random.logUniform(5, 60) : 0);
  return {
    name,
    fullTrips,
    resumedTrips: Math.max(1, fullTrips - 1),
    resumedShare: fullTrips > 1 && random.chance(ranges.resuming) ? random.uniform(0.15, 0.95) : 0,
    fullWorkMs,
    resumedWorkMs: fullWorkMs * random.uniform(0.1, 0.5),
    workSpread: random.uniform(0.03, 0.3),
    firstByteMs: recorded ? 0.05 : random.logUniform(1, 200),
    firstByteSpread: random.uniform(0.05, 0.6),
    periodSeconds: Math.round(period),
    load: within(ranges.load, random),
    loadSeconds: random.logUniform(300, 7_200),
    loadSeed: random.integer(1, 2_000_000_000),
    echo: recorded && random.chance(0.6),
  };
}

function drawCarriers(ranges: WorldRanges, random: Random, number = random.integer(2, 4)): CarrierModel[] {
  return random.some(CARRIERS, number).map((name) => {
    const weekday = within(ranges.dailyPeak, random);
    return {
      name,
      weekday,
      weekend: weekday * random.uniform(0.6, 1.5),
      hour: random.uniform(20, 22),
      widthHours: random.uniform(1.5, 3.2),
      variety: within(ranges.dailyPeakVariety, random),
      seed: random.integer(1, 2_000_000_000),
      sharedSeconds: within(ranges.correlatedSeconds, random),
    };
  });
}

function drawVantages(
  count: number,
  carriers: readonly CarrierModel[],
  names: readonly string[],
  random: Random,
): Vantage[] {
  const regions = random.some(names, Math.ceil(count / carriers.length));
  const places = regions.flatMap((region) => {
    const [x, y] = [random.next(), random.next()];
    return carriers.map(({ name }) => ({ region, carrier: name, x, y, accessMs: random.logUniform(0.5, 12) }));
  });
  return places.slice(0, count);
}

function drawModel(
  ranges: WorldRanges,
  target: PlacedTarget,
  vantage: Vantage,
  carrier: CarrierModel,
  random: Random,
): SeriesModel {
  const distance = Math.hypot(target.x - vantage.x, target.y - vantage.y) * 90 * within(ranges.distance, random);
  const rttMs = Math.min(
    250,
    Math.max(1, (target.near ? 0.08 : 1) * (distance + vantage.accessMs) * random.uniform(0.9, 1.2)),
  );
  const loss = within(ranges.loss, random);
  const ownPeak = random.uniform(0.7, 1.3);
  return {
    target: target.model,
    region: vantage.region,
    carrier: vantage.carrier,
    rttMs,
    paths: random.chance(ranges.multipath) ? drawPaths(random) : [{ share: 1, rttFactor: 1 }],
    jitter: within(ranges.jitter, random),
    queueMs: ranges.style === 'recorded' ? random.logUniform(0.02, 0.4) : random.logUniform(0.05, 1.5),
    correlatedNoise: within(ranges.correlatedNoise, random),
    correlatedSeconds: within(ranges.correlatedSeconds, random),
    correlatedShared: within(ranges.shared, random),
    sharedSeconds: carrier.sharedSeconds,
    wander: within(ranges.wander, random),
    wanderSeconds: random.logUniform(43_200, 259_200),
    tail: within(ranges.tail, random),
    loss,
    loss1s: loss * within(ranges.synLoss, random),
    loss3s: loss * within(ranges.synLoss, random) * 0.25,
    failure: within(ranges.failure, random),
    dnsMs: random.logUniform(0.5, 40),
    dailyPeak: { ...carrier, weekday: carrier.weekday * ownPeak, weekend: carrier.weekend * ownPeak },
    dailyPeakVariety: carrier.variety,
    carrierSeed: carrier.seed,
    stepMs: random.pick([0.001, 0.001, 0.01, 0.1, 0.1, 1]),
    periodJitter: random.uniform(0.02, 0.3),
    missing: random.pick([0, 0.001, 0.01, 0.03]),
  };
}

/** Two or three paths, the longest 5 to 40% longer. */
function drawPaths(random: Random): Path[] {
  const first = { share: random.uniform(0.3, 0.85), rttFactor: 1 };
  const second = { share: 1 - first.share, rttFactor: 1 + random.logUniform(0.03, 0.4) };
  if (random.chance(0.7)) return [first, second];
  const third = { share: second.share * 0.4, rttFactor: 1 + random.logUniform(0.03, 0.3) };
  return [first, { ...second, share: second.share * 0.6 }, third];
}
