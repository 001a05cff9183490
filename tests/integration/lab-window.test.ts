import { beforeAll, describe, expect, it } from 'vitest';
import { adviceOf } from '#analysis/advice/advice.ts';
import { MILESTONES, SHORT_CHAIN_BYTES } from '#analysis/advice/worth.ts';
import { factsOf } from '#analysis/what-if/what-if.ts';
import type { AdviceCode } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import type { Scenario } from '#tests/lab/types.ts';
import type { State } from '../bench/what-if/pairs.ts';
import { type Other, startOthers } from '../bench/what-if/servers.ts';
import { problem, useLab } from '../support/lab-scene.ts';

const RTT = 28;
const VERSIONS = ['1.2', '1.3'] as const;
/** Chains whose flights end in one write and a little more, so that both a small window and Nagle's algorithm show. */
const CHAINS = [4_900, 5_600, 9_000];
const KINDS = [
  { window: 10, noDelay: true },
  { window: 10, noDelay: false },
  { window: 4, noDelay: true },
  { window: 3, noDelay: true },
] as const;
const MOST_TRIES = 8;

const nameOf = (tls: string, chainBytes: number, noDelay: boolean) =>
  `${tls}-${chainBytes}-${noDelay ? 'nodelay' : 'nagle'}`;
const scenarios: Scenario[] = VERSIONS.flatMap((tls) =>
  CHAINS.flatMap((chainBytes) =>
    [true, false].map((noDelay) => ({
      name: nameOf(tls, chainBytes, noDelay),
      tls,
      chainBytes,
      noDelay,
      http2: true,
      key: 'rsa2048' as const,
    })),
  ),
);

/**
 * A server before and after what is advised for it. The chain is one that fits by the advice, with some to spare, or a short one:
 * promised is the least that either brings.
 */
const PAIRS: [AdviceCode, State, Partial<State>, Partial<State>?][] = [
  ['tls12', { tls: '1.2', chainBytes: 9_000, bodyBytes: 40_000, recordBytes: 4_096 }, { tls: '1.3' }],
  [
    'flight_over_window',
    { tls: '1.3', chainBytes: 13_500, bodyBytes: 24_000, recordBytes: 4_096 },
    { chainBytes: 12_200 },
    { chainBytes: SHORT_CHAIN_BYTES },
  ],
  ['nagle', { tls: '1.2', chainBytes: 9_000, noDelay: false, bodyBytes: 9_000 }, { noDelay: true }],
  ['small_window', { tls: '1.3', window: 4, bodyBytes: 24_000, recordBytes: 4_096 }, { window: 10 }],
  ['record_over_window', { tls: '1.3', bodyBytes: 60_000 }, { recordBytes: 4_096 }],
  ['record_over_window', { server: 'haproxy', tls: '1.3', bodyBytes: 24_000, http2: true }, { recordBytes: 1_400 }],
  ['record_over_window', { server: 'node', tls: '1.3', bodyBytes: 24_000, http2: true }, { recordBytes: 1_400 }],
  ['tiny_records', { tls: '1.2', bodyBytes: 8_000, recordBytes: 150 }, { recordBytes: 4_096 }],
];
const FIRST_OTHER_PORT = 8_431;
const stateOf = (pair: number, side: Side): State => {
  const [, before, after, short] = PAIRS[pair] as (typeof PAIRS)[number];
  return { ...before, ...{ before: {}, after, short }[side] };
};
type Side = 'before' | 'after' | 'short';
const sidesOf = (pair: number): Side[] => ['before', 'after', ...(PAIRS[pair]?.[3] ? ['short' as const] : [])];
for (const [pair] of PAIRS.entries())
  for (const side of sidesOf(pair)) {
    const { server: _, window: __, rttMs: ___, resumed: ____, ...scenario } = stateOf(pair, side);
    scenarios.push({ ...scenario, name: `pair-${pair}-${side}` });
  }

/** A Result whose segments were all counted, on a machine that was at rest enough. */
const isUsable = ({ prober, roundTrips, network }: Result) =>
  (prober.lateMs ?? 0) < RTT / 4 &&
  network.outOfOrder === 0 &&
  roundTrips?.serverWindow !== null &&
  roundTrips?.waits.every(({ segments }) => segments !== null) === true;

describe.skipIf(problem !== null)("the server's window in the lab", () => {
  const scene = useLab({ rttMs: RTT, scenarios });

  async function measured(scenario: string): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      const url = `https://${scene.lab.address}:${scene.lab.ports[scenario]}/`;
      const result = await scene.prober.probe({ url, settings: { caPem: scene.lab.caPem } });
      if (isUsable(result) || tries === MOST_TRIES) return result;
    }
  }

  describe.each(KINDS)('of $window segments, nodelay $noDelay', ({ window, noDelay }) => {
    beforeAll(() => scene.lab.setInitcwnd(window));

    it.each(VERSIONS.flatMap((tls) => CHAINS.map((chainBytes) => [tls, chainBytes] as const)))(
      'under TLS %s with a chain of %i bytes',
      { retry: 2 },
      async (tls, chainBytes) => {
        const { ok, roundTrips, findings, http, phases } = await measured(nameOf(tls, chainBytes, noDelay));
        expect(ok).toBe(true);
        expect(roundTrips?.serverWindow?.segments).toBe(window);
        const codes = findings.map(({ code }) => code);
        const held = roundTrips?.waits.filter(({ phase }) => phase === 'tls').map(({ heldBy }) => heldBy);
        expect([codes.includes('nagle_delay'), held?.includes('nagle')]).toEqual([!noDelay, !noDelay]);
        const extra = (roundTrips?.tls.took ?? 0) - (roundTrips?.tls.expected ?? 0);
        expect(codes.includes('chain_exceeds_window')).toBe(noDelay && extra > 0);
        if (roundTrips?.serverWindow?.exact) expect(codes.includes('small_window')).toBe(window <= 4);
        // nginx sends the headers in a record of their own: the body's first record is the one that is too large.
        expect(http?.firstRecordBytes).toBeLessThan(500);
        const late = (roundTrips?.firstBody?.took ?? 0) > 1;
        expect((phases.firstBody ?? 0) > (phases.firstByte ?? 0) + RTT * 0.6).toBe(late);
        expect(codes.includes('records_exceed_window')).toBe(late);
      },
    );
  });

  describe('advice promises what its change brings', () => {
    const ports = new Map<string, number>();
    let missing = new Set<string>();

    beforeAll(async () => {
      const others = PAIRS.flatMap((_, pair) =>
        sidesOf(pair).map((side) => [`pair-${pair}-${side}`, stateOf(pair, side)] as const),
      )
        .filter(([, { server }]) => server)
        .map(([name, state], index): [string, Other] => [name, { state, port: FIRST_OTHER_PORT + index }]);
      for (const [name, { port }] of others) ports.set(name, port);
      // HAProxy has one size of records a process.
      for (const [, other] of others) missing = new Set([...missing, ...(await startOthers(scene.lab, [other]))]);
    });

    /** Two Results of a state that nothing disturbed, or what there is after some tries: of them the one that took less. */
    async function probed(name: string, { window = 10, http2 }: State) {
      await scene.lab.setInitcwnd(window);
      const url = `https://${scene.lab.address}:${ports.get(name) ?? scene.lab.ports[name]}/`;
      const settings = { caPem: scene.lab.caPem, alpn: http2 ? ['h2' as const] : ['http/1.1' as const] };
      const found: { result: Result; facts: NonNullable<ReturnType<typeof factsOf>> }[] = [];
      for (let tries = 0; tries < 2 * MOST_TRIES && found.length < 2; tries += 1) {
        const result = await scene.prober.probe({ url, settings });
        const facts = factsOf(result);
        const requestMs = (result.marks.pretransfer ?? 0) - (result.marks.appconnect ?? 0);
        if (facts && requestMs < RTT / 8 && (result.prober.lateMs ?? 0) < RTT / 8) found.push({ result, facts });
      }
      const [least] = found.toSorted((a, b) => a.facts.measured.total - b.facts.measured.total);
      if (!least) throw new Error('every probe was disturbed');
      return least;
    }

    it.for(PAIRS.map(([code, { server = 'nginx' }], pair) => [code, server, pair] as const))(
      '%s on %s',
      { retry: 3 },
      async ([code, server, pair], { skip }) => {
        if (missing.has(server)) skip(`${server} is not installed`);
        const before = await probed(`pair-${pair}-before`, stateOf(pair, 'before'));
        const afters: (typeof before)[] = [];
        for (const side of sidesOf(pair).slice(1))
          afters.push(await probed(`pair-${pair}-${side}`, stateOf(pair, side)));
        const advice = adviceOf([before.result], { client: 'api' }).find((each) => each.code === code);
        expect(advice).toMatchObject({ basis: 'model' });
        for (const milestone of MILESTONES) {
          const measured = Math.min(
            ...afters.map(({ facts }) => before.facts.measured[milestone] - facts.measured[milestone]),
          );
          expect(Math.abs((advice?.savesMs[milestone] ?? Number.NaN) - measured), milestone).toBeLessThan(RTT / 4);
        }
      },
    );
  });
});
