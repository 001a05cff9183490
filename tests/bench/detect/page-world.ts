import { drawModels } from '#analysis/synthetic/draw-models.ts';
import { type Cause, type Effect, judgedCause, type SeriesEvent } from '#analysis/synthetic/event.ts';
import type { Span } from '#analysis/synthetic/instants.ts';
import { Random } from '#analysis/synthetic/random.ts';
import { drawRanges } from '#analysis/synthetic/ranges.ts';
import { calmConditions, expectedTls, type SeriesModel } from '#analysis/synthetic/series-model.ts';
import type { WorldSeries } from '#analysis/synthetic/world.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const MINUTE = 60;
/** 2026-01-05 00:00 UTC, a Monday. */
const EPOCH = 1_767_571_200;
const TARGETS = 3;
const REGIONS = 31;
const CARRIERS = 3;

/**
 * A world to judge pages on: three targets at 93 vantages, and happenings that a person would tell by name. Busy and stalled servers,
 * congestion of a carrier or of some of its provinces, roll-outs over hours, rollbacks, sessions that are lost, single vantages
 * and lines, and incidents inside incidents. `periodSeconds` between probes; all of it decided by the seed.
 */
export function drawPageWorld(seed: number, periodSeconds: number): WorldSeries[] {
  const random = new Random(seed).fork(`pages ${periodSeconds}`);
  const ranges = {
    ...drawRanges(random.pick(['calm', 'two-mode', 'bursty', 'near'] as const), random.fork('climate')),
    periodSeconds: [periodSeconds, periodSeconds] as const,
  };
  const models = drawModels(ranges, TARGETS * REGIONS * CARRIERS, random.fork('lines'), {
    targets: TARGETS,
    regions: REGIONS,
    carriers: CARRIERS,
  });
  const from = EPOCH + random.integer(0, 365 * DAY);
  const days = periodSeconds >= 300 ? { warmUp: 3, all: 8 } : { warmUp: 2, all: 4.5 };
  const span = { from, warmUpEnd: from + days.warmUp * DAY, to: from + days.all * DAY };
  const events = planHappenings(models, span, random.fork('plan'));
  return models.map((model, index) => ({ model, span, events: events[index] ?? [], gaps: [] }));
}

/** What a kind of happening touches and does. Seconds; `stays` until its end, or for ever. */
type Happening = {
  name: string;
  kind: 'spike' | 'shift';
  cause: Cause;
  seconds: number;
  touches: (model: SeriesModel) => boolean;
  effectOn: (model: SeriesModel) => Effect;
  /** How much later each place begins, seconds. */
  delayOf?: (model: SeriesModel) => number;
};

/** So many minutes lie between two happenings of which none is inside the other. */
const APART = 5 * HOUR;

function planHappenings(models: readonly SeriesModel[], span: Span, random: Random): SeriesEvent[][] {
  const events: SeriesEvent[][] = models.map(() => []);
  const touched = new Set<string>();
  const add = (happening: Happening, start: number) => {
    const incident = `${happening.name}-${start}`;
    models.forEach((model, index) => {
      if (!happening.touches(model)) return;
      const effect = happening.effectOn(model);
      const late = Math.floor(happening.delayOf?.(model) ?? random.uniform(0, MINUTE));
      events[index]?.push({
        kind: happening.kind,
        cause: judgedCause(happening.cause, effect),
        incident,
        start: start + late,
        end: start + happening.seconds + (happening.kind === 'shift' ? late : 0),
        shape: 'box',
        rampSeconds: 0,
        hitShare: 1,
        maxSamples: Number.POSITIVE_INFINITY,
        effect,
      });
    });
  };
  const draw = new Draw(models, random);
  let start = span.warmUpEnd + random.uniform(1, 3) * HOUR;
  while (start < span.to - 10 * HOUR) {
    const happening = draw.next(touched, span.to - start);
    add(happening, Math.floor(start));
    if (happening.kind === 'spike' && happening.seconds > 40 * MINUTE && random.chance(0.3))
      add(draw.inside(happening), Math.floor(start + random.uniform(0.2, 0.6) * happening.seconds));
    start += (happening.kind === 'spike' ? happening.seconds : 2 * HOUR) + APART + random.exponential(3 * HOUR);
  }
  for (const own of events) own.sort((a, b) => a.start - b.start);
  return events;
}

/** Draws happenings of a world. A target has one lasting change at most, so that each is found by itself. */
class Draw {
  readonly #models: readonly SeriesModel[];
  readonly #random: Random;
  readonly #targets: string[];
  readonly #carriers: string[];
  readonly #regions: string[];

  constructor(models: readonly SeriesModel[], random: Random) {
    this.#models = models;
    this.#random = random;
    this.#targets = [...new Set(models.map(({ target }) => target.name))];
    this.#carriers = [...new Set(models.map(({ carrier }) => carrier))];
    this.#regions = [...new Set(models.map(({ region }) => region))];
  }

  next(touched: Set<string>, left: number): Happening {
    const target = this.#targets.find((name) => !touched.has(name));
    if (target === undefined || left < 30 * HOUR || this.#random.chance(0.6)) return this.#spike();
    touched.add(target);
    return this.#shift(target);
  }

  /** What happens to one target, or one carrier, while another thing goes on. */
  inside(around: Happening): Happening {
    const inner = around.cause === 'network' ? this.#busy('inner') : this.#congestion('inner');
    return { ...inner, seconds: this.#random.uniform(20, 40) * MINUTE };
  }

  #spike(): Happening {
    const drawn = this.#random.next();
    if (drawn < 0.25) return this.#busy('busy');
    if (drawn < 0.4) return this.#stall();
    if (drawn < 0.75) return this.#congestion('congestion');
    return this.#local();
  }

  #busy(name: string): Happening {
    const target = this.#random.pick(this.#targets);
    const ms = Math.max(25, this.#random.uniform(0.5, 1.5) * this.#tlsOf(target));
    const firstByteMs = ms * this.#random.uniform(0.6, 2);
    return this.#on(target, `${name}-${target}`, 'server', () => ({
      serverMs: ms * this.#random.factor(0.1),
      firstByteMs,
    }));
  }

  #stall(): Happening {
    const target = this.#random.pick(this.#targets);
    const ms = Math.max(25, this.#random.uniform(0.5, 2) * this.#tlsOf(target));
    return this.#on(target, `stall-${target}`, 'tls', () => ({ serverMs: ms * this.#random.factor(0.1) }));
  }

  #on(target: string, name: string, cause: Cause, effectOn: Happening['effectOn']): Happening {
    return {
      name,
      kind: 'spike',
      cause,
      seconds: this.#minutes(),
      touches: (model) => model.target.name === target,
      effectOn,
    };
  }

  #congestion(name: string): Happening {
    const carrier = this.#random.pick(this.#carriers);
    const part = new Set(this.#random.chance(0.5) ? this.#regions : this.#random.some(this.#regions, 8));
    const rttMs = this.#random.uniform(20, 60);
    return {
      name: `${name}-${carrier}`,
      kind: 'spike',
      cause: 'network',
      seconds: this.#minutes(),
      touches: (model) => model.carrier === carrier && part.has(model.region),
      effectOn: () => ({ rttMs: rttMs * this.#random.factor(0.15), lossFactor: 2, spread: 1.5 }),
    };
  }

  /** One vantage, or one line of it. */
  #local(): Happening {
    const { region, carrier, target } = this.#random.pick(this.#models);
    const alone = this.#random.chance(0.3) ? target.name : null;
    const rttMs = this.#random.uniform(25, 80);
    return {
      name: `local-${region}-${carrier}`,
      kind: 'spike',
      cause: 'network',
      seconds: this.#minutes(),
      touches: (model) =>
        model.region === region && model.carrier === carrier && (alone === null || model.target.name === alone),
      effectOn: () => ({ rttMs: rttMs * this.#random.factor(0.1) }),
    };
  }

  /** Of a target: a release that costs work, or a round trip; at once or in a roll-out from region to region; often taken back. */
  #shift(name: string): Happening {
    const random = this.#random;
    const target = this.#models.find((model) => model.target.name === name)?.target;
    const hours = random.chance(0.5) ? random.uniform(1, 2.5) : 0;
    const delays = new Map(this.#regions.map((region) => [region, random.next() * hours * HOUR]));
    const serverMs = Math.max(8, random.uniform(0.25, 0.6) * this.#tlsOf(name));
    const effect: Effect =
      target && target.resumedShare > 0.3 && target.fullTrips > target.resumedTrips && random.chance(0.6)
        ? { resumedShare: 0 }
        : random.chance(0.5)
          ? { roundTrips: 1 }
          : { serverMs, firstByteMs: serverMs };
    return {
      name: `release-${name}`,
      kind: 'shift',
      cause: effect.serverMs === undefined ? 'tls' : 'server',
      seconds: random.chance(0.5) ? random.uniform(26, 40) * HOUR : Number.POSITIVE_INFINITY,
      touches: (model) => model.target.name === name,
      effectOn: () => effect,
      delayOf: (model) => delays.get(model.region) ?? 0,
    };
  }

  #minutes(): number {
    const period = this.#models[0]?.target.periodSeconds ?? MINUTE;
    return Math.floor(this.#random.uniform(Math.max(20 * MINUTE, 4 * period), 110 * MINUTE));
  }

  /** The middle of a target's TLS times, ms. */
  #tlsOf(name: string): number {
    const all = this.#models.filter(({ target }) => target.name === name);
    const sorted = all.map((model) => expectedTls(model, calmConditions(model.target))).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 30;
  }
}
