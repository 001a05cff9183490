import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MILESTONES } from '#analysis/advice/worth.ts';
import { type Facts, factsOf, fittingChain, whatIf } from '#analysis/what-if/what-if.ts';
import { labProblem, openLab } from '#lab/lab.ts';
import { type LabProber, startProber } from '#lab/probing.ts';
import type { Lab, Scenario } from '#lab/types.ts';
import { extent } from '../support/extent.ts';

const RTT = 28;
const VERSIONS = extent(['1.3'] as const, ['1.2', '1.3'] as const);
/** On both sides of what 3, 4 and 10 segments hold, and of what a record holds. */
const CHAINS = extent(
  [5_600, 12_350, 12_800, 18_500],
  [...Array.from({ length: 16 }, (_, index) => 5_000 + 1_000 * index), 12_350, 12_500, 12_800, 16_300],
);
const WINDOWS = extent([3, 4, 10], [3, 4, 5, 6, 7, 8, 9, 10]);
const MOST_WRONG_SHARE = 0.02;
const MOST_TRIES = 16;

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

const problem = await labProblem((text) => process.stderr.write(`${text}\n`));
if (problem) process.stderr.write(`The lab's tests are left out. ${problem}\n`);

describe.skipIf(problem !== null)('chains over the window in the lab', () => {
  let lab: Lab;
  let prober: LabProber;

  beforeAll(async () => {
    lab = await openLab({ rttMs: RTT, scenarios });
    prober = await startProber(lab);
  });
  afterAll(() => lab?.close());

  /** What the least disturbed of two probes shows; a busy machine makes them longer, never shorter. */
  async function factsAt(name: string): Promise<Facts> {
    const found: Facts[] = [];
    for (let tries = 0; tries < MOST_TRIES && found.length < 2; tries += 1) {
      const url = `https://${lab.address}:${lab.ports[name]}/`;
      const result = await prober.probe({ url, settings: { caPem: lab.caPem, alpn: ['http/1.1'] } });
      const facts = factsOf(result);
      if (facts && (result.prober.lateMs ?? 0) < RTT / 8) found.push(facts);
    }
    const [least] = found.toSorted((a, b) => a.measured.total - b.measured.total);
    if (!least) throw new Error('every probe was disturbed');
    return least;
  }

  it.each(VERSIONS)('smaller ones under TLS %s save what is predicted, and fit where it is said', async (tls) => {
    const wrong: string[] = [];
    let predictions = 0;
    for (const window of WINDOWS) {
      await lab.setInitcwnd(window);
      const states: Facts[] = [];
      for (const chainBytes of CHAINS) states.push(await factsAt(nameOf(tls, chainBytes)));
      for (const before of states) {
        const fitting = fittingChain(before) ?? 0;
        for (const after of states) {
          const bytes = after.chain?.bytes ?? 0;
          if (bytes >= (before.chain?.bytes ?? 0)) continue;
          const predicted = whatIf(before, [{ kind: 'chain', bytes }], 'api').after;
          const what = `window ${window}, ${before.chain?.bytes} to ${bytes} bytes`;
          for (const milestone of MILESTONES) {
            predictions += 1;
            const offMs = predicted[milestone] - after.measured[milestone];
            if (Math.abs(offMs) > RTT / 2) wrong.push(`${what}: ${milestone} ${Math.round(offMs)} ms`);
          }
          const leastTrips = tls === '1.3' ? 2 : 3;
          if (bytes <= fitting) expect(after.measured.handshake, what).toBeLessThan((leastTrips + 0.5) * RTT);
        }
      }
    }
    expect(predictions).toBeGreaterThanOrEqual(4 * WINDOWS.length * CHAINS.length);
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(MOST_WRONG_SHARE * predictions);
  });
});
