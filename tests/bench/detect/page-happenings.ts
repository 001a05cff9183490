import type { Cause, Effect, Shape } from '#analysis/synthetic/event.ts';
import { calmConditions, type SeriesModel } from '#analysis/synthetic/series-model.ts';
import { expectedTls } from './world/expected.ts';
import type { Random } from './world/random.ts';

const HOUR = 3_600;
const MINUTE = 60;

/** What a kind of happening touches and does. Seconds; it stays until its end, or for ever. */
export type Happening = {
  name: string;
  kind: 'spike' | 'shift';
  /** Null where it cannot be told: it is not judged. */
  cause: Cause | null;
  seconds: number;
  shape?: Shape;
  touches: (model: SeriesModel) => boolean;
  effectOn: (model: SeriesModel) => Effect;
  /** How much later each place begins, seconds. */
  delayOf?: (model: SeriesModel) => number;
};

/** Draws happenings of a world. A target has one lasting change at most, so that each is found by itself. */
export class PageDraw {
  readonly #models: readonly SeriesModel[];
  readonly #random: Random;
  readonly #targets: string[];
  readonly #carriers: string[];
  readonly #regions: string[];
  readonly #changed = new Set<string>();
  #routed = false;

  constructor(models: readonly SeriesModel[], random: Random) {
    this.#models = models;
    this.#random = random;
    this.#targets = [...new Set(models.map(({ target }) => target.name))];
    this.#carriers = [...new Set(models.map(({ carrier }) => carrier))];
    this.#regions = [...new Set(models.map(({ region }) => region))];
  }

  /** `left`: seconds until the world ends. */
  next(left: number): Happening {
    const target = this.#targets.find((name) => !this.#changed.has(name));
    if (target === undefined || left < 26 * HOUR || this.#random.chance(0.6)) return this.#spike();
    if (!this.#routed && this.#random.chance(0.25)) return this.#route();
    this.#changed.add(target);
    return this.#release(target);
  }

  /** What happens to something else while a thing goes on. */
  inside(around: Happening): Happening {
    const target = this.#targets.find((name) => !this.#changed.has(name));
    if (around.kind === 'spike' && target !== undefined && this.#random.chance(0.25)) {
      this.#changed.add(target);
      return this.#release(target);
    }
    const inner = around.cause === 'network' ? this.#ofServer() : this.#congestion();
    return { ...inner, name: `inner-${inner.name}`, seconds: this.#random.uniform(20, 40) * MINUTE };
  }

  /** Another thing on the same series, right after one: the first one's target or, of a carrier, all targets there. */
  after({ touches, cause }: Happening): Happening {
    const touched = this.#models.filter(touches);
    const model = this.#random.pick(touched);
    const next = cause === 'network' ? this.#ofServer(model.target.name) : this.#congestion(model.carrier);
    return { ...next, name: `next-${next.name}` };
  }

  #spike(): Happening {
    const drawn = this.#random.next();
    if (drawn < 0.38) return this.#ofServer();
    if (drawn < 0.66) return this.#congestion();
    if (drawn < 0.76) return this.#uplink();
    if (drawn < 0.84) return this.#region();
    return this.#local();
  }

  #ofServer(target?: string): Happening {
    return this.#random.chance(0.6) ? this.#busy(target) : this.#stall(target);
  }

  #busy(target = this.#random.pick(this.#targets)): Happening {
    const ms = Math.max(this.#small(25), this.#random.uniform(0.5, 1.5) * this.#tlsOf(target));
    const firstByteMs = ms * this.#random.uniform(0.6, 2);
    const shape = this.#random.pick(['box', 'box', 'ramp', 'triangle'] as const);
    return this.#on(target, `busy-${target}`, 'server', shape, () => ({
      serverMs: ms * this.#random.factor(0.1),
      firstByteMs,
    }));
  }

  /** A staple that the server waits for; of the vantages, those on a part of its machines. */
  #stall(target = this.#random.pick(this.#targets)): Happening {
    const ms = Math.max(this.#small(25), this.#random.uniform(0.5, 2) * this.#tlsOf(target));
    const stalled = this.#on(target, `stall-${target}`, 'tls', 'box', () => ({
      serverMs: ms * this.#random.factor(0.1),
    }));
    if (this.#random.chance(0.7)) return stalled;
    const part = new Set(this.#random.some(this.#regions, 14));
    return { ...stalled, touches: (model) => stalled.touches(model) && part.has(model.region) };
  }

  #on(target: string, name: string, cause: Cause, shape: Shape, effectOn: Happening['effectOn']): Happening {
    const touches = (model: SeriesModel) => model.target.name === target;
    return { name, kind: 'spike', cause, seconds: this.#minutes(), shape, touches, effectOn };
  }

  /** Of a carrier, everywhere or in some provinces; at once or spreading over half an hour. */
  #congestion(carrier = this.#random.pick(this.#carriers)): Happening {
    const random = this.#random;
    const part = new Set(random.chance(0.5) ? this.#regions : random.some(this.#regions, random.integer(4, 16)));
    const rttMs = random.uniform(this.#small(20), 60);
    const spreads = random.chance(0.3)
      ? new Map(this.#regions.map((region) => [region, random.next() * 0.5 * HOUR]))
      : null;
    return {
      name: `congestion-${carrier}`,
      kind: 'spike',
      cause: 'network',
      seconds: this.#minutes() + (spreads ? 0.5 * HOUR : 0),
      shape: random.pick(['box', 'box', 'ramp'] as const),
      touches: (model) => model.carrier === carrier && part.has(model.region),
      effectOn: () => ({ rttMs: rttMs * random.factor(0.15), lossFactor: 2, spread: 1.5 }),
      ...(spreads ? { delayOf: (model: SeriesModel) => spreads.get(model.region) ?? 0 } : {}),
    };
  }

  /** The line of a target's data centre: its path from everywhere. */
  #uplink(): Happening {
    const target = this.#random.pick(this.#targets);
    const rttMs = this.#random.uniform(20, 60);
    const effectOn = () => ({ rttMs: rttMs * this.#random.factor(0.1), lossFactor: 3, spread: 1.5 });
    return this.#on(target, `uplink-${target}`, 'network', 'box', effectOn);
  }

  /** All carriers of some neighbouring provinces. */
  #region(): Happening {
    const part = new Set(this.#random.some(this.#regions, this.#random.integer(2, 6)));
    const rttMs = this.#random.uniform(20, 60);
    return {
      name: `region-${[...part][0]}`,
      kind: 'spike',
      cause: 'network',
      seconds: this.#minutes(),
      touches: (model) => part.has(model.region),
      effectOn: () => ({ rttMs: rttMs * this.#random.factor(0.15), spread: 1.5 }),
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

  /** Another route of a carrier from some provinces, for good or for a day. */
  #route(): Happening {
    this.#routed = true;
    const carrier = this.#random.pick(this.#carriers);
    const part = new Set(this.#random.some(this.#regions, this.#random.integer(4, 12)));
    const rttFactor = 1 + this.#random.uniform(0.06, 0.5);
    return {
      name: `route-${carrier}`,
      kind: 'shift',
      cause: 'network',
      seconds: this.#untilBack(),
      touches: (model) => model.carrier === carrier && part.has(model.region),
      effectOn: () => ({ rttFactor }),
    };
  }

  /**
   * Of a target: work, a round trip, or sessions that are lost; at once, or in a roll-out over up to two and a half hours, by
   * province, by carrier or by machine; often taken back, also within hours; seldom small.
   */
  #release(name: string): Happening {
    const random = this.#random;
    const target = this.#models.find((model) => model.target.name === name)?.target;
    const hours = random.chance(0.55) ? random.uniform(0.5, 2.5) : 0;
    const delays = new Map<string, number>();
    const by = random.pick(['region', 'carrier', 'vantage'] as const);
    const delayOf = ({ region, carrier }: SeriesModel) => {
      const place = { region, carrier, vantage: `${region} ${carrier}` }[by];
      const known = delays.get(place) ?? random.next() * hours * HOUR;
      delays.set(place, known);
      return known;
    };
    const serverMs = Math.max(random.chance(0.2) ? 3 : 8, random.uniform(0.06, 0.6) * this.#tlsOf(name));
    const effect: Effect =
      target && target.resumedShare > 0.3 && target.fullTrips > target.resumedTrips && random.chance(0.6)
        ? { resumedShare: 0 }
        : random.chance(0.4)
          ? { roundTrips: 1 }
          : random.chance(0.3)
            ? { serverMs }
            : { serverMs, firstByteMs: serverMs };
    return {
      name: `release-${name}`,
      kind: 'shift',
      cause: effect.firstByteMs === undefined ? 'tls' : 'server',
      seconds: this.#untilBack() + hours * HOUR,
      touches: (model) => model.target.name === name,
      effectOn: () => effect,
      delayOf,
    };
  }

  /** Until a change is taken back: within hours, after a day, or never. */
  #untilBack(): number {
    const drawn = this.#random.next();
    if (drawn < 0.2) return this.#random.uniform(2, 10) * HOUR;
    return drawn < 0.6 ? this.#random.uniform(24, 40) * HOUR : Number.POSITIVE_INFINITY;
  }

  /** Seldom a happening is smaller than what a person wants to be told of, so that floors are judged. */
  #small(usual: number): number {
    return this.#random.chance(0.12) ? 0.3 * usual : usual;
  }

  #minutes(): number {
    const period = this.#models[0]?.target.periodSeconds ?? MINUTE;
    return Math.floor(this.#random.uniform(Math.max(12 * MINUTE, 4 * period), 110 * MINUTE));
  }

  /** The middle of a target's TLS times, ms. */
  #tlsOf(name: string): number {
    const all = this.#models.filter(({ target }) => target.name === name);
    const sorted = all.map((model) => expectedTls(model, calmConditions(model.target))).sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 30;
  }
}
