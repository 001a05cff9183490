import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '#contract/result.ts';
import { labProblem, openLab } from '#lab/lab.ts';
import { type LabProber, startProber } from '#lab/probing.ts';
import type { Lab, Scenario } from '#lab/types.ts';

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

/** A Result whose segments were all counted, on a machine that was at rest enough. */
const isUsable = ({ prober, roundTrips, network }: Result) =>
  (prober.lateMs ?? 0) < RTT / 4 && network.outOfOrder === 0 && roundTrips?.serverWindow !== null;

const problem = await labProblem((text) => process.stderr.write(`${text}\n`));
if (problem) process.stderr.write(`The lab's tests are left out. ${problem}\n`);

describe.skipIf(problem !== null)("the server's window in the lab", () => {
  let lab: Lab;
  let prober: LabProber;

  beforeAll(async () => {
    lab = await openLab({ rttMs: RTT, scenarios });
    prober = await startProber(lab);
  });
  afterAll(() => lab?.close());

  async function measured(scenario: string): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      const url = `https://${lab.address}:${lab.ports[scenario]}/`;
      const result = await prober.probe({ url, settings: { caPem: lab.caPem } });
      if (isUsable(result) || tries === MOST_TRIES) return result;
    }
  }

  describe.each(KINDS)('of $window segments, nodelay $noDelay', ({ window, noDelay }) => {
    beforeAll(() => lab.setInitcwnd(window));

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
});
