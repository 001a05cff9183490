import type { SeriesEvent } from '#analysis/synthetic/event.ts';
import type { SeriesModel } from '#analysis/synthetic/series-model.ts';
import { type Happening, PageDraw } from './page-happenings.ts';
import { judgedCause, type Span } from './world/draw-context.ts';
import { drawModels } from './world/draw-models.ts';
import { drawNoise } from './world/plan-noise.ts';
import { Random } from './world/random.ts';
import { drawRanges } from './world/ranges.ts';
import type { WorldSeries } from './world/world.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const MINUTE = 60;
/** 2026-01-05 00:00 UTC, a Monday. */
const EPOCH = 1_767_571_200;
const TARGETS = 3;
const REGIONS = 31;
const CARRIERS = 3;

/** Probe periods that worlds have, with the days that they warm up and last: a probe in 30 s has as many samples in two days. */
export const PAGE_PERIODS = {
  600: { warmUp: 3, all: 8 },
  60: { warmUp: 2, all: 4.5 },
  30: { warmUp: 1.5, all: 3 },
} as const;
export type PagePeriod = keyof typeof PAGE_PERIODS;

/**
 * A world to judge pages on: three targets at 93 vantages, and happenings that a person would tell by name (`page-happenings.ts`),
 * apart from each other, inside each other, or one soon after another on the same series. Beside them what must open no
 * page: busy probers, odd samples, changes of variance, slow names. All of it decided by the seed.
 */
export function drawPageWorld(seed: number, period: PagePeriod): WorldSeries[] {
  const random = new Random(seed).fork(`pages ${period}`);
  const ranges = {
    ...drawRanges(
      random.pick(['calm', 'two-mode', 'two-mode', 'bursty', 'near', 'lossy'] as const),
      random.fork('climate'),
    ),
    periodSeconds: [period, period] as const,
  };
  const models = drawModels(ranges, TARGETS * REGIONS * CARRIERS, random.fork('lines'), {
    targets: TARGETS,
    regions: REGIONS,
    carriers: CARRIERS,
  });
  const from = EPOCH + random.integer(0, 365 * DAY);
  const days = PAGE_PERIODS[period];
  const span = { from, warmUpEnd: from + days.warmUp * DAY, to: from + days.all * DAY };
  const events = planHappenings(models, span, random.fork('plan'));
  addNoise(events, models, span, random.fork('noise'));
  for (const own of events) own.sort((a, b) => a.start - b.start);
  const names = new Names(random.fork('names'));
  return models.map((model, index) => ({ model: names.rename(model), span, events: events[index] ?? [], gaps: [] }));
}

/** So long after the end of a happening the next one begins, where it is neither inside nor right behind it. */
const APART = 4 * HOUR;

function planHappenings(models: readonly SeriesModel[], span: Span, random: Random): SeriesEvent[][] {
  const events: SeriesEvent[][] = models.map(() => []);
  const add = (happening: Happening, start: number) => {
    const incident = `${happening.name}-${start}`;
    models.forEach((model, index) => {
      const touched = happening.touches(model);
      if (touched) events[index]?.push(eventOf(happening, model, incident, start, random));
    });
  };
  const draw = new PageDraw(models, random);
  let start = span.warmUpEnd + random.uniform(1, 3) * HOUR;
  while (start < span.to - 10 * HOUR) {
    const happening = draw.next(span.to - start);
    add(happening, Math.floor(start));
    const lasts = happening.kind === 'spike' ? happening.seconds : 2 * HOUR;
    if (lasts > 40 * MINUTE && random.chance(0.4))
      add(draw.inside(happening), Math.floor(start + random.uniform(0.15, 0.6) * Math.min(lasts, HOUR)));
    // On the same target or carrier, before half an hour has been quiet and soon after.
    else if (happening.kind === 'spike' && random.chance(0.2))
      add(draw.after(happening), Math.floor(start + lasts + random.uniform(12, 50) * MINUTE));
    start += lasts + APART + random.exponential(3 * HOUR);
  }
  return events;
}

function eventOf(
  { kind, cause, seconds, shape = 'box', effectOn, delayOf }: Happening,
  model: SeriesModel,
  incident: string,
  start: number,
  random: Random,
): SeriesEvent {
  const effect = effectOn(model);
  const late = Math.floor(delayOf?.(model) ?? random.uniform(0, MINUTE));
  return {
    kind,
    cause: cause && judgedCause(cause, effect),
    incident,
    start: start + late,
    end: start + seconds + (kind === 'shift' ? late : 0),
    shape,
    rampSeconds: shape === 'ramp' ? 0.3 * seconds : 0,
    hitShare: 1,
    maxSamples: Number.POSITIVE_INFINITY,
    effect,
  };
}

/** What must open no page, a day: of single series, and busy probers, which delay all targets of a vantage in all phases. */
const NOISES_A_DAY = { odd: 12, variance: 3, dns: 3, 'first-byte': 3, failures: 1 } as const;
const BUSY_PROBERS_A_DAY = 3;

function addNoise(events: SeriesEvent[][], models: readonly SeriesModel[], span: Span, random: Random): void {
  const days = (span.to - span.warmUpEnd) / DAY;
  for (const [kind, aDay] of Object.entries(NOISES_A_DAY) as [keyof typeof NOISES_A_DAY, number][])
    for (let left = random.poisson(aDay * days); left > 0; left--) {
      const index = random.integer(0, models.length - 1);
      const inside = { ...span, from: span.warmUpEnd, to: span.to };
      events[index]?.push(drawNoise(kind, models[index] as SeriesModel, inside, random));
    }
  for (let left = random.poisson(BUSY_PROBERS_A_DAY * days); left > 0; left--) {
    const { region, carrier } = random.pick(models);
    const start = Math.floor(random.uniform(span.warmUpEnd, span.to - HOUR));
    const end = start + Math.floor(random.uniform(3, 12) * MINUTE);
    const ms = random.uniform(15, 80);
    models.forEach((model, index) => {
      if (model.region !== region || model.carrier !== carrier) return;
      // Each phase waits for the processor: TLS, which computes most, the longest.
      const effect = { rttMs: 0.3 * ms, serverMs: ms, firstByteMs: ms, dnsFactor: 1 + ms / 10, spread: 3 };
      const course = { shape: 'box', rampSeconds: 0, hitShare: 0.9, maxSamples: Number.POSITIVE_INFINITY } as const;
      events[index]?.push({ kind: 'odd', cause: null, incident: `prober-${start}`, start, end, ...course, effect });
    });
  }
}

/** Other names in every world: nothing may follow from how targets, provinces and carriers are called. */
class Names {
  readonly #random: Random;
  readonly #known = new Map<string, string>();

  constructor(random: Random) {
    this.#random = random;
  }

  rename(model: SeriesModel): SeriesModel {
    return {
      ...model,
      target: { ...model.target, name: this.#of('target', model.target.name) },
      region: this.#of('region', model.region),
      carrier: this.#of('carrier', model.carrier),
    };
  }

  #of(kind: 'target' | 'region' | 'carrier', name: string): string {
    const key = `${kind} ${name}`;
    const known = this.#known.get(key);
    if (known) return known;
    const number = this.#random.integer(100, 999);
    const made = { target: `${number}.${name}`, region: `${name} ${number}`, carrier: `AS${number}/${name}` }[kind];
    this.#known.set(key, made);
    return made;
  }
}
