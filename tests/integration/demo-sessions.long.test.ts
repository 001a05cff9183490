import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result, StorableResult } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { emulatedNetwork } from '#demo/network.ts';
import type { Origins } from '#demo/origins.ts';
import { seededRandom } from '#demo/random.ts';
import { realEnvironment } from '#probe/environment.ts';
import { measureSequence } from '#probe/sequence.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { lossless, startOrigins } from '../support/demo-line.ts';
import { FRIDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// The demo's origin loses its sessions, on real sockets with real TLS: what is measured is stored as if probed every 30 s, and the
// live detector finds it.

const PERIOD = 30;
/** Seconds since 1970. */
const START = FRIDAY / 1_000;
/** What is measured before and after. */
const USUAL = 30;
const LOST = 6;
/** Near the origin, so that a probe takes a moment. */
const vantages = ['CN-BJ', 'CN-TJ', 'CN-HE', 'CN-SD'].map((region) => makeVantage(region, 'unicom'));

let running: Origins;
let stop: () => Promise<void>;
prepareTestDatabase(vantages);
beforeAll(async () => {
  ({ running, stop } = await startOrigins());
});
afterAll(async () => {
  await stop();
});

/** The results of one check, a main and a resumed one, as of a second since 1970. */
async function measuredAt(
  second: number,
  targetId: string,
  vantage: (typeof vantages)[number],
): Promise<StorableResult[]> {
  const origin = running.origins.find(({ resume }) => resume);
  if (!origin) throw new Error('no origin whose sessions are offered');
  const network = emulatedNetwork({
    vantage,
    destinations: running.origins,
    random: seededRandom(second),
    conditions: lossless,
    jitter: false,
  });
  const settings = ProbeSettings.parse({ caPem: origin.caPem, resume: true });
  const request = {
    id: v7(),
    url: origin.url,
    settings,
    timeoutMs: 20_000,
    targetId,
    vantage,
    demo: true,
    allowPrivate: true,
  };
  const results: Result[] = [];
  // What a busy machine spoils is no matter here: whether a session was refused does not depend on it.
  await measureSequence(request, realEnvironment({ network, cleanBelowMs: 10_000 }), (result) => results.push(result));
  return results.map((result, index) => ({
    ...result,
    targetId,
    vantage,
    startedAt: new Date(second * 1_000 + index).toISOString(),
  }));
}

/** Some rounds of all vantages from a second on; the shares of sessions that were refused, a round each. */
async function measureRounds(from: number, rounds: number, targetId: string): Promise<number[]> {
  const shares: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const at = from + round * PERIOD;
    const found = (
      await Promise.all(vantages.map((vantage, index) => measuredAt(at + index * 5, targetId, vantage)))
    ).flat();
    expect(found.map(({ failure }) => failure)).toEqual(found.map(() => null));
    await insertResults(found);
    const offered = found.filter(({ variant }) => variant === 'resumed');
    expect(offered).toHaveLength(vantages.length);
    shares.push(offered.filter(({ tls }) => tls?.resumed === false).length / offered.length);
  }
  return shares;
}

async function consume(to: number): Promise<void> {
  const job = createDetectionJob();
  while (await job.step((to + GRACE_SECONDS) * 1_000)) {
    // Each turn takes a stretch.
  }
  await job.close();
}

describe("the demo's origin", { timeout: 180_000 }, () => {
  it('that loses its sessions is an incident of resumption within three minutes, and knows them again when taken back', async () => {
    const targetId = await insertTarget({ demo: true });
    const lostAt = START + USUAL * PERIOD;
    expect(new Set(await measureRounds(START, USUAL, targetId))).toEqual(new Set([0]));
    running.deploy('good', 'lostSessions', true);
    expect(new Set(await measureRounds(lostAt, LOST, targetId))).toEqual(new Set([1]));
    // What comes within the last minute of the three is not consumed yet.
    await consume(lostAt + 180 - GRACE_SECONDS);
    const { data } = await listIncidents({ limit: 10 });
    expect(data).toMatchObject([{ kind: 'spike', metric: 'refused', cause: 'tls', subCause: 'resumption', targetId }]);
    expect(data[0]?.affected).toMatchObject({ series: vantages.length, before: 0, after: 1 });
    running.deploy('good', 'lostSessions', false);
    // A ticket of before is of keys that nobody has any more; these are given out anew.
    const back = await measureRounds(lostAt + LOST * PERIOD, 2, targetId);
    expect(back).toEqual([0, 0]);
  });
});
