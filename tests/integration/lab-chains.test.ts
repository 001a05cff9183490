import { describe, expect, it } from 'vitest';
import { adviceOf } from '#analysis/advice/advice.ts';
import { MILESTONES } from '#analysis/advice/worth.ts';
import { type Facts, factsOf, fittingChain, whatIf } from '#analysis/what-if/what-if.ts';
import type { Scenario } from '#tests/lab/types.ts';
import { extent } from '../support/extent.ts';
import { problem, useLab } from '../support/lab-scene.ts';

const RTT = 28;
const VERSIONS = ['1.2', '1.3'] as const;
/** On both sides of what 3, 4 and 10 segments hold, and of what a record holds. */
const CHAINS = extent(
  [5_600, 12_350, 12_800, 18_500],
  [...Array.from({ length: 16 }, (_, index) => 5_000 + 1_000 * index), 12_350, 12_500, 12_800, 16_300],
);
/** One of 9 is taken for one of 10 whose last place stayed empty, and is left out. */
const WINDOWS = extent([3, 4, 10], [3, 4, 5, 6, 7, 8, 10]);
/** What is less than a segment over these windows, which no system begins with, looks as Nagle's algorithm does at one of 10. */
const NO_SYSTEMS = [5, 6, 7, 8];
const MOST_TAKEN_FOR_NAGLE = 3;
const MOST_WRONG_SHARE = 0.02;
const MOST_TRIES = 16;

type State = Facts & { isTakenForNagle: boolean };

const nameOf = (tls: string, chainBytes: number) => `${tls}-${chainBytes}`;
const scenarios: Scenario[] = VERSIONS.flatMap((tls) =>
  CHAINS.map((chainBytes) => ({
    name: nameOf(tls, chainBytes),
    tls,
    chainBytes,
    bodyBytes: 9_000,
    recordBytes: 4_096,
  })),
);

describe.skipIf(problem !== null)('chains over the window in the lab', () => {
  const scene = useLab({ rttMs: RTT, scenarios });

  /** What the least disturbed of two probes shows; a busy machine makes them longer, never shorter. */
  async function factsAt(name: string): Promise<State> {
    const found: State[] = [];
    for (let tries = 0; tries < MOST_TRIES && found.length < 2; tries += 1) {
      const url = `https://${scene.lab.address}:${scene.lab.ports[name]}/`;
      const result = await scene.prober.probe({ url, settings: { caPem: scene.lab.caPem, alpn: ['http/1.1'] } });
      const facts = factsOf(result);
      if (!facts || (result.prober.lateMs ?? 0) >= RTT / 8) continue;
      const isTakenForNagle = adviceOf([result], { client: 'api' }).some(({ code }) => code === 'nagle');
      found.push({ ...facts, isTakenForNagle });
    }
    const [least] = found.toSorted((a, b) => a.measured.total - b.measured.total);
    if (!least) throw new Error('every probe was disturbed');
    return least;
  }

  it.each(VERSIONS.flatMap((tls) => WINDOWS.map((window) => [tls, window] as const)))(
    'smaller ones under TLS %s at %i segments save what is predicted, and fit where it is said',
    { retry: 2 },
    async (tls, window) => {
      await scene.lab.setInitcwnd(window);
      const all: State[] = [];
      for (const chainBytes of CHAINS) all.push(await factsAt(nameOf(tls, chainBytes)));
      // The server has tcp_nodelay on: all its pauses are the window's.
      const states = all.filter(({ isTakenForNagle }) => !isTakenForNagle);
      const most = NO_SYSTEMS.includes(window) ? MOST_TAKEN_FOR_NAGLE : 0;
      expect(all.length - states.length).toBeLessThanOrEqual(most);
      const bytesOf = ({ chain }: Facts) => chain?.bytes ?? 0;
      const pairs = states.flatMap((before) =>
        states.filter((after) => bytesOf(after) < bytesOf(before)).map((after) => ({ before, after })),
      );
      const wrong = pairs.flatMap(({ before, after }) => {
        const predicted = whatIf(before, [{ kind: 'chain', bytes: bytesOf(after) }], 'api').after;
        return MILESTONES.flatMap((milestone) => {
          const offMs = Math.round(predicted[milestone] - after.measured[milestone]);
          return Math.abs(offMs) > RTT / 2 ? [`${bytesOf(before)} to ${bytesOf(after)}: ${milestone} ${offMs} ms`] : [];
        });
      });
      expect(pairs).toHaveLength((states.length * (states.length - 1)) / 2);
      expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(MOST_WRONG_SHARE * MILESTONES.length * pairs.length);
      const leastTrips = tls === '1.3' ? 2 : 3;
      for (const { before, after } of pairs)
        if (bytesOf(after) <= (fittingChain(before) ?? 0))
          expect(after.measured.handshake, `${bytesOf(after)} fits`).toBeLessThan((leastTrips + 0.5) * RTT);
    },
  );
});
