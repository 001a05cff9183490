import { describe, expect, it } from 'vitest';
import { type Sample, sampleOf } from '#analysis/comparison/sample.ts';
import type { ComparisonHeadline, ComparisonOutcome } from '#contract/comparison.ts';
import { headlineOf } from '#contract/comparison-headline.ts';
import { verdictText } from '#i18n/comparison.ts';
import { translator } from '#i18n/translator.ts';
import { compare } from '#tests/lab/compare.ts';
import {
  FIFTEEN,
  fewPlaces,
  TLS12,
  TLS13,
  WORLD_CHANGED_AT,
  type World,
  type WorldPlace,
  worldResults,
} from '#tests/support/comparison-worlds.ts';
import { extent } from '#tests/support/extent.ts';

const TARGET = '01970000-0000-7000-8000-000000000001';
const MINUTE = 60_000;
const SEEDS = extent(3, 40);
/** Of 40 seeds one may be wrong by chance. */
const MOST_WRONG = Math.floor(SEEDS / 40);

type Made = Omit<World, 'seed'>;

function outcomeOf(world: World): ComparisonOutcome {
  const { results } = worldResults(world, TARGET);
  const length = (world.minutes ?? 20) * MINUTE;
  const at = WORLD_CHANGED_AT;
  const windows = { before: { from: at - length, to: at }, after: { from: at, to: at + length } };
  const samples = results.flatMap((result) => sampleOf(result) ?? []);
  const resumed = results.flatMap((result) => sampleOf(result, 'resumed') ?? []);
  const isEarly = (sample: Sample) => sample.at < at;
  const isLate = (sample: Sample) => sample.at >= at;
  const variants = [{ variant: 'resumed' as const, before: resumed.filter(isEarly), after: resumed.filter(isLate) }];
  return compare(samples.filter(isEarly), samples.filter(isLate), { windows, variants });
}

/** The headline of each seed. A world that several tests ask for is computed once. */
const known = new Map<Made, ComparisonHeadline[]>();
function headlinesOf(world: Made): ComparisonHeadline[] {
  const headlines =
    known.get(world) ??
    Array.from({ length: SEEDS }, (_, seed) => headlineOf(outcomeOf({ ...world, seed: seed + 1 }), 'total'));
  known.set(world, headlines);
  return headlines;
}

/** How many of the seeds have another headline than this. */
const wrongOf = (world: Made, isRight: (headline: ComparisonHeadline) => boolean): number =>
  headlinesOf(world).filter((headline) => !isRight(headline)).length;

const unicomBy = (ms: number) => (place: WorldPlace, minute: number) =>
  place.carrier === 'unicom' && minute >= 0 ? ms : 0;
const same = () => TLS13;
const since = (server: typeof TLS13) => (minute: number) => (minute < 0 ? TLS13 : server);

const isSame = ({ direction, roundTrips }: ComparisonHeadline) =>
  direction === 'unclear' && Math.abs(roundTrips?.value ?? 0) < 0.15;

/**
 * Whether it is said that the mean of this carrier's queues (null: of all) grew by so much, and of no other. A value farther off than
 * the whole width of its interval of 95%, which is twice what it claims, is wrong by more than chance.
 */
function isMoved({ networkMoves: [move, ...others] }: ComparisonHeadline, carrier: string | null, ms: number): boolean {
  if (!move || others.length > 0 || move.carrier !== carrier || move.region !== null) return false;
  return Math.abs(move.shift.value - ms) < Math.min(0.4 * ms, move.shift.high - move.shift.low);
}

describe(`two identical servers, ${SEEDS} seeds each`, { timeout: 600_000 }, () => {
  const allBy = (ms: number) => (_: WorldPlace, minute: number) => (minute < 0 ? 0 : ms);
  // Whose queues grew (null: those of all), and by how much on average.
  const congested: [string, Made, string | null, number][] = [
    ['one carrier is congested', { places: FIFTEEN, serverAt: same, queueAt: unicomBy(20) }, 'unicom', 20],
    [
      'and its queues are another for each round trip',
      { places: FIFTEEN, serverAt: same, queueAt: unicomBy(20), jitter: 1 },
      'unicom',
      20,
    ],
    [
      'and round trips are not counted',
      { places: FIFTEEN, serverAt: same, queueAt: unicomBy(20), jitter: 0.3, counted: false },
      'unicom',
      20,
    ],
    [
      'one of three vantages is congested',
      { places: fewPlaces(3), serverAt: same, queueAt: unicomBy(25) },
      'unicom',
      25,
    ],
    [
      'two of six are, differently',
      { places: fewPlaces(6), serverAt: same, queueAt: unicomBy(25), jitter: 0.5 },
      'unicom',
      25,
    ],
    ['all carriers are, alike', { places: FIFTEEN, serverAt: same, queueAt: allBy(15), jitter: 0.5 }, null, 15],
    [
      'and their queues are another for each round trip',
      { places: FIFTEEN, serverAt: same, queueAt: allBy(15), jitter: 1 },
      null,
      15,
    ],
  ];
  it.each(congested)(
    'are called neither faster nor slower, and whose network moved is said: %s',
    (_, world, of, ms) => {
      expect(wrongOf(world, (headline) => isSame(headline) && isMoved(headline, of, ms))).toBeLessThanOrEqual(
        MOST_WRONG,
      );
    },
  );

  it('have intervals around what the network did that hold the mean of the queues in 95% of all these', () => {
    const missed = congested.map(([, world, , ms]) =>
      wrongOf(world, ({ networkMoves: [move] }) => move !== undefined && move.shift.low <= ms && move.shift.high >= ms),
    );
    expect(missed.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(0.05 * SEEDS * congested.length);
  });

  const drifting: [string, Made][] = [
    ['nothing drifts', { places: fewPlaces(5), serverAt: same }],
    ['round-trip times drift', { places: fewPlaces(5), serverAt: same, rttDriftMs: 4 }],
    ['the server drifts', { places: fewPlaces(5), serverAt: same, serverDriftMs: 2 }],
    ['it drifts for ten minutes', { places: fewPlaces(5), serverAt: same, serverDriftMs: 2, driftMinutes: 10 }],
    ['at six vantages for an hour', { places: fewPlaces(6), serverAt: same, serverDriftMs: 2, minutes: 60 }],
  ];
  it.each(drifting)('are called neither faster nor slower without earlier windows: %s', (_, world) => {
    expect(wrongOf(world, isSame)).toBeLessThanOrEqual(MOST_WRONG);
  });
});

describe(`a change while one carrier is congested, ${SEEDS} seeds each`, { timeout: 600_000 }, () => {
  const congestion = { queueAt: unicomBy(20), jitter: 0.5 };
  const changes: [string, Made, (headline: ComparisonHeadline) => boolean][] = [
    [
      'TLS 1.3 removes a round trip',
      { ...congestion, places: FIFTEEN, serverAt: (minute) => (minute < 0 ? TLS12 : TLS13) },
      ({ direction, roundTrips, verdict, cause }) =>
        direction === 'faster' && roundTrips?.value === -1 && verdict === 'explained' && cause === 'version',
    ],
    [
      'the answer takes a round trip more, at five vantages',
      { ...congestion, places: fewPlaces(5), serverAt: since({ ...TLS13, download: 2 }) },
      ({ direction, roundTrips }) => direction === 'slower' && roundTrips?.value === 1,
    ],
    [
      'the server needs 12 ms more for its work',
      { ...congestion, places: FIFTEEN, serverAt: since({ ...TLS13, workMs: 15 }) },
      ({ direction, roundTrips, workMs }) =>
        direction === 'slower' && roundTrips?.value === 0 && Math.abs((workMs?.value ?? 0) - 12) < 2,
    ],
  ];
  it.each(changes)('is found, and the network is not part of it: %s', (_, world, isRight) => {
    expect(wrongOf(world, isRight)).toBeLessThanOrEqual(MOST_WRONG);
  });

  it('is found in resumed handshakes alone: sessions that are refused', () => {
    const world: Made = { places: fewPlaces(5), serverAt: same, resumesAt: (minute) => (minute < 0 ? 1 : 0) };
    expect(wrongOf(world, ({ refused }) => refused?.before === 0 && refused.after === 1)).toBe(0);
    const usual: Made = { ...world, resumesAt: () => 0.7 };
    expect(wrongOf(usual, ({ refused }) => refused === null)).toBeLessThanOrEqual(MOST_WRONG);
  });
});

const english = { locale: 'en', t: translator('en'), timeZone: 'UTC' } as const;
const chinese = { locale: 'zh-CN', t: translator('zh-CN'), timeZone: 'UTC' } as const;

describe(`regions that differ, ${SEEDS} seeds each`, { timeout: 600_000 }, () => {
  // The far places lie behind a proxy of their own, which is not changed; or their carrier is congested meanwhile.
  const near = (place: WorldPlace) => place.rttMs < 60;
  const worlds: [string, Made][] = [
    [
      'the far ones are not changed',
      {
        places: fewPlaces(5),
        serverAt: (minute, _, place) => (minute < 0 || !near(place) ? { ...TLS13, workMs: 43 } : TLS13),
      },
    ],
    [
      'the far ones lose what the others gain',
      {
        places: fewPlaces(5),
        serverAt: (minute, _, place) => ({ ...TLS13, workMs: minute < 0 ? 43 : near(place) ? 3 : 63 }),
      },
    ],
    [
      'a carrier is congested',
      { places: fewPlaces(6), serverAt: (minute) => (minute < 0 ? TLS12 : TLS13), queueAt: unicomBy(40), jitter: 0.5 },
    ],
  ];
  it.each(worlds)('have the figure that stands beside them: %s', (_, world) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const outcome = outcomeOf({ ...world, seed });
      const headline = headlineOf(outcome, 'total');
      const said = verdictText(english, headline);
      const [, by, ms] = /: (faster|slower) by (\S+) ± \S+ ms in/.exec(said) ?? [];
      expect(by).toBe('faster');
      const named = outcome.figures?.regions.filter(({ direction }) => direction === by) ?? [];
      const parts = named.map(({ server, shift }) => (headline.networkMoves.length > 0 ? (server ?? shift) : shift));
      expect(-Number(ms)).toBeGreaterThanOrEqual(Math.min(...parts.map(({ low }) => low)) - 0.5);
      expect(-Number(ms)).toBeLessThanOrEqual(Math.max(...parts.map(({ high }) => high)) + 0.5);
      const rest = (outcome.figures?.regions.length ?? 0) - named.length;
      if (rest > 0) expect(said).toMatch(/, (slower|unclear) in \d/);
    }
  });
});

describe(`congestion that begins within a window, ${SEEDS} seeds each`, { timeout: 600_000 }, () => {
  const from = (start: number, ms: number, carrier?: string) => (place: WorldPlace, minute: number) =>
    minute >= start && (carrier === undefined || place.carrier === carrier) ? ms : 0;
  it.each<[string, NonNullable<World['queueAt']>, number]>([
    ['of a carrier, late in the second', from(10, 20, 'unicom'), 0.5],
    ['of a carrier, in the middle of the first', from(-10, 20, 'unicom'), 0.5],
    ['of all, with another queue for each round trip', from(10, 20), 1],
    ['of all, early in the second', from(5, 40), 0.5],
  ])('is no part of a round trip where these are not counted: %s', (_, queueAt, jitter) => {
    const world: Made = { places: fewPlaces(3), serverAt: same, counted: false, queueAt, jitter };
    const isWhole = (headline: ComparisonHeadline) => {
      const { value } = headline.roundTrips ?? { value: 0 };
      const said = verdictText(english, headline) + verdictText(chinese, headline);
      return Math.abs(value - Math.round(value)) <= 0.15 && !/\d\.\d (round trips|次往返)/.test(said);
    };
    expect(wrongOf(world, isWhole)).toBe(0);
  });
});

describe(`a new version at a part of the servers, ${SEEDS} seeds each`, { timeout: 600_000 }, () => {
  /** TLS 1.3 at such a share of the connections before and after. */
  const canary = (before: number, after: number, world: Partial<Made> = {}): Made => ({
    places: FIFTEEN,
    serverAt: (minute, random) => (random.chance(minute < 0 ? before : after) ? TLS13 : TLS12),
    ...world,
  });
  const worlds: [string, number, number, Made][] = [
    ['30%', 0, 0.3, canary(0, 0.3)],
    ['50%', 0, 0.5, canary(0, 0.5)],
    ['80%', 0, 0.8, canary(0, 0.8)],
    ['50% at five vantages', 0, 0.5, canary(0, 0.5, { places: fewPlaces(5) })],
    ['50%, and round trips are not counted', 0, 0.5, canary(0, 0.5, { counted: false })],
    ['50%, and a carrier is congested', 0, 0.5, canary(0, 0.5, { queueAt: unicomBy(20), jitter: 0.5 })],
    ['half before and all after', 0.5, 1, canary(0.5, 1)],
    ['more of them after than before', 0.3, 0.8, canary(0.3, 0.8)],
  ];
  it.each(worlds)('is found at this part, and the rest is as before: %s', (_, before, after, world) => {
    const isRight = (headline: ComparisonHeadline) => {
      const { mixture, verdict, cause } = headline;
      const said = verdictText(english, headline);
      return (
        mixture?.after === 'TLSv1.3' &&
        Math.abs(mixture.share.before - before) < 0.15 &&
        Math.abs(mixture.share.after - after) < 0.15 &&
        mixture.effect?.direction === 'faster' &&
        Math.abs((mixture.effect.roundTrips?.value ?? 0) + 1) < 0.15 &&
        mixture.rest?.effect.direction === 'unclear' &&
        (verdict === 'explained' ? cause === 'version' : verdict === 'cant_tell') &&
        said.includes('one round trip less, as TLS 1.3 predicts') &&
        said.includes(`${after < 1 ? 'the others' : 'those that had it before'} are as before`)
      );
    };
    expect(wrongOf(world, isRight)).toBeLessThanOrEqual(MOST_WRONG);
    const isFalse = (headline: ComparisonHeadline) =>
      /does not explain|nothing that changed|no setting changed/.test(verdictText(english, headline));
    expect(wrongOf(world, (headline) => !isFalse(headline))).toBe(0);
  });

  it('is said in both languages', () => {
    const [headline] = headlinesOf(canary(0, 0.5)) as [ComparisonHeadline];
    expect(verdictText(english, headline)).toMatch(
      /^Whole response: \d\d(\.\d)?% of the results after have TLS 1\.3: there faster by \S+ ± \S+ ms; one round trip less, as TLS 1\.3 predicts; the others are as before; /,
    );
    expect(verdictText(chinese, headline)).toMatch(
      /变更后 \S+ 的结果为 TLS 1\.3，这部分快 .*；少 1 次往返，与 TLS 1\.3 的预期一致；其余结果与之前相同/,
    );
  });

  it('is no verdict where too few results have it, and none of a steady mixture', () => {
    const few = canary(0, 1, {
      places: fewPlaces(6),
      serverAt: (minute, _, { rttMs }) => (minute >= 0 && rttMs < 40 ? TLS13 : TLS12),
    });
    const headline = headlinesOf(few)[0] as ComparisonHeadline;
    expect(headline).toMatchObject({ mixture: { effect: null, rest: {} }, verdict: 'cant_tell', cause: 'version' });
    expect(verdictText(english, headline)).toContain(
      '33% of the results after have TLS 1.3, too few to say what it does',
    );
    expect(wrongOf(canary(0.5, 0.5), ({ mixture }) => mixture === null)).toBe(0);
    expect(wrongOf(canary(0, 1), ({ mixture }) => mixture === null)).toBe(0);
  });
});

describe('the sentence', () => {
  const headline = (world: Made) => headlineOf(outcomeOf({ ...world, seed: 1 }), 'total');

  it('says what the network did, of whom', () => {
    const said = headline({ places: FIFTEEN, serverAt: same, queueAt: unicomBy(20) });
    expect(verdictText(english, said)).toMatch(
      /^Whole response: no difference that can be told, between \S+ and \S+ ms; no round trip less or more; no setting changed; Unicom: network \+20 ms in 5 provinces\.$/,
    );
    expect(verdictText(chinese, said)).toContain('联通网络 +20 ms（5 个省份）');
  });

  it('says that sessions are refused, and not that no setting changed', () => {
    const world: Made = { places: fewPlaces(5), serverAt: same, resumesAt: (minute) => (minute < 0 ? 1 : 0) };
    const said = verdictText(english, headline(world));
    expect(said).toContain('refused sessions 0% → 100%');
    expect(said).not.toContain('no setting changed');
    expect(verdictText(chinese, headline(world))).toContain('拒绝会话复用的比例 0% → 100%');
  });

  it('shows no interval as large as its value, and no direction that no region has', () => {
    const base = headline({ places: fewPlaces(5), serverAt: since({ ...TLS13, workMs: 15 }) });
    const tight = { value: 23.2, low: 0.3, high: 46.1 };
    expect(verdictText(english, { ...base, shift: tight })).toContain('slower by 23.2 ± 22.9 ms');
  });
});
