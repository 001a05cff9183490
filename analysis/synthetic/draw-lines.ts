import { type Climate, within } from './climate.ts';
import type { Dice } from './dice.ts';
import type { LineModel, Path, TargetModel } from './line.ts';

export type Vantage = { province: string; carrier: string; x: number; y: number; accessMs: number };

const PROVINCES = [
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

/** The lines of a world: `count` series of a few targets that share vantages. */
export function drawLines(climate: Climate, count: number, dice: Dice): LineModel[] {
  const targets = drawTargets(climate, count, dice.fork('targets'));
  const carriers = drawCarriers(climate, dice.fork('carriers'));
  const vantages = drawVantages(Math.ceil(count / targets.length), carriers, dice.fork('vantages'));
  const pairs = targets.flatMap((target) => vantages.map((vantage) => ({ target, vantage })));
  const evenings = new Map(carriers.map((carrier) => [carrier.name, carrier]));
  return pairs.slice(0, count).map(({ target, vantage }) => {
    const evening = evenings.get(vantage.carrier);
    if (!evening) throw new Error(`no carrier ${vantage.carrier}`);
    const name = `${target.model.name}/${vantage.province}/${vantage.carrier}`;
    return drawLine(climate, target, vantage, evening, dice.fork(name));
  });
}

type PlacedTarget = { model: TargetModel; x: number; y: number; near: boolean };

function drawTargets(climate: Climate, count: number, dice: Dice): PlacedTarget[] {
  const number = Math.min(count, dice.integer(2, 6));
  const period = within(climate.periodSeconds, dice);
  return Array.from({ length: number }, (_, index) => ({
    model: drawTarget(
      climate,
      `t${index + 1}.example`,
      dice.chance(0.7) ? period : within(climate.periodSeconds, dice),
      dice,
    ),
    x: dice.uniform(-0.3, 1.3),
    y: dice.uniform(-0.3, 1.3),
    // A target in a content network is next door to everybody.
    near: dice.chance(0.15),
  }));
}

function drawTarget(climate: Climate, name: string, period: number, dice: Dice): TargetModel {
  const recorded = climate.style === 'recorded';
  const fullTrips = recorded ? 1 : dice.pick([1, 1, 2, 2, 2, 3]);
  const fullWorkMs = recorded ? 0.05 : dice.logUniform(1, 12) + (dice.chance(0.3) ? dice.logUniform(5, 60) : 0);
  return {
    name,
    fullTrips,
    resumedTrips: Math.max(1, fullTrips - 1),
    resumedShare: fullTrips > 1 && dice.chance(climate.resuming) ? dice.uniform(0.15, 0.95) : 0,
    fullWorkMs,
    resumedWorkMs: fullWorkMs * dice.uniform(0.1, 0.5),
    workSpread: dice.uniform(0.03, 0.3),
    firstByteMs: recorded ? 0.05 : dice.logUniform(1, 200),
    firstByteSpread: dice.uniform(0.05, 0.6),
    periodSeconds: Math.round(period),
    load: within(climate.load, dice),
    loadSeconds: dice.logUniform(300, 7_200),
    loadSeed: dice.integer(1, 2_000_000_000),
    echo: recorded && dice.chance(0.6),
  };
}

function drawCarriers(climate: Climate, dice: Dice): CarrierModel[] {
  return dice.some(CARRIERS, dice.integer(2, 4)).map((name) => {
    const weekday = within(climate.evening, dice);
    return {
      name,
      weekday,
      weekend: weekday * dice.uniform(0.6, 1.5),
      hour: dice.uniform(20, 22),
      widthHours: dice.uniform(1.5, 3.2),
      variety: within(climate.eveningVariety, dice),
      seed: dice.integer(1, 2_000_000_000),
      sharedSeconds: within(climate.swellSeconds, dice),
    };
  });
}

function drawVantages(count: number, carriers: readonly CarrierModel[], dice: Dice): Vantage[] {
  const provinces = dice.some(PROVINCES, Math.ceil(count / carriers.length));
  const places = provinces.flatMap((province) => {
    const [x, y] = [dice.next(), dice.next()];
    return carriers.map(({ name }) => ({ province, carrier: name, x, y, accessMs: dice.logUniform(0.5, 12) }));
  });
  return places.slice(0, count);
}

function drawLine(
  climate: Climate,
  target: PlacedTarget,
  vantage: Vantage,
  carrier: CarrierModel,
  dice: Dice,
): LineModel {
  const distance = Math.hypot(target.x - vantage.x, target.y - vantage.y) * 90 * within(climate.distance, dice);
  const rttMs = Math.min(
    250,
    Math.max(1, (target.near ? 0.08 : 1) * (distance + vantage.accessMs) * dice.uniform(0.9, 1.2)),
  );
  const loss = within(climate.loss, dice);
  const ownEvening = dice.uniform(0.7, 1.3);
  return {
    target: target.model,
    province: vantage.province,
    carrier: vantage.carrier,
    rttMs,
    paths: dice.chance(climate.multipath) ? drawPaths(dice) : [{ share: 1, rttFactor: 1 }],
    jitter: within(climate.jitter, dice),
    queueMs: climate.style === 'recorded' ? dice.logUniform(0.02, 0.4) : dice.logUniform(0.05, 1.5),
    swell: within(climate.swell, dice),
    swellSeconds: within(climate.swellSeconds, dice),
    swellShared: within(climate.shared, dice),
    sharedSeconds: carrier.sharedSeconds,
    wander: within(climate.wander, dice),
    wanderSeconds: dice.logUniform(43_200, 259_200),
    tail: within(climate.tail, dice),
    loss,
    loss1s: loss * within(climate.synLoss, dice),
    loss3s: loss * within(climate.synLoss, dice) * 0.25,
    failure: within(climate.failure, dice),
    dnsMs: dice.logUniform(0.5, 40),
    evening: { ...carrier, weekday: carrier.weekday * ownEvening, weekend: carrier.weekend * ownEvening },
    eveningVariety: carrier.variety,
    carrierSeed: carrier.seed,
    stepMs: dice.pick([0.001, 0.001, 0.01, 0.1, 0.1, 1]),
    periodJitter: dice.uniform(0.02, 0.3),
    missing: dice.pick([0, 0.001, 0.01, 0.03]),
  };
}

/** Two or three paths, the longest 5 to 40% longer. */
function drawPaths(dice: Dice): Path[] {
  const first = { share: dice.uniform(0.3, 0.85), rttFactor: 1 };
  const second = { share: 1 - first.share, rttFactor: 1 + dice.logUniform(0.03, 0.4) };
  if (dice.chance(0.7)) return [first, second];
  const third = { share: second.share * 0.4, rttFactor: 1 + dice.logUniform(0.03, 0.3) };
  return [first, { ...second, share: second.share * 0.6 }, third];
}
