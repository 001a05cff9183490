import { Worker } from 'node:worker_threads';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { emulatedNetwork } from '#demo/network.ts';
import { startOriginThread } from '#demo/origin-thread.ts';
import type { Origins } from '#demo/origins.ts';
import { seededRandom } from '#demo/random.ts';
import { realEnvironment } from '#probe/environment.ts';
import { measure } from '#probe/measure.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { lossless } from '../support/demo-line.ts';
import { isLong } from '../support/extent.ts';
import { prepareFolder } from '../support/folder.ts';
import { type Check, chance, writeHistory } from '../support/history.ts';
import { FRIDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { insertResults } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// Four busy loops on the machine of a prober, which measures a real server by real TLS: what it measures is stored as if it had probed
// every 30 s, and the live detector judges it. Four other probers, of made results, see a target become slower in the same minutes.

const PERIOD = 30;
/** Seconds since 1970; that of the busy loops. */
const START = FRIDAY / 1_000;
const USUAL_ROUNDS = 120;
const BUSY_ROUNDS = 10;
const BUSY_AT = START + USUAL_ROUNDS * PERIOD;
const LOOPS = 4;

const busy = makeVantage('CN-BJ', 'unicom');
const others = ['CN-GD', 'CN-SH', 'CN-HB', 'CN-GS'].map((region) => makeVantage(region, 'telecom'));

let database: TestDatabase;
let running: Origins;
const folder = prepareFolder('busy');
beforeAll(async () => {
  database = await testDatabase([busy, ...others]);
  running = await startOriginThread(folder);
});
afterAll(async () => {
  await running.close();
  await database.drop();
});

/** One probe of each of some targets, as of a second since 1970. */
async function measureRound(second: number, targetIds: readonly string[]): Promise<Result[]> {
  const origin = running.origins.find(({ key }) => key === 'good');
  if (!origin) throw new Error('no origin');
  const network = emulatedNetwork({
    vantage: busy,
    destinations: running.origins,
    random: seededRandom(second),
    conditions: lossless,
    jitter: false,
  });
  const settings = ProbeSettings.parse({ caPem: origin.caPem });
  const results: Result[] = [];
  for (const targetId of targetIds) {
    const request = {
      id: v7(),
      url: origin.url,
      settings,
      timeoutMs: 20_000,
      targetId,
      vantage: busy,
      demo: true,
      allowPrivate: true,
    };
    // The demo's own limit: what a prober without the kernel's timestamps allows its loop.
    const { result } = await measure(request, realEnvironment({ network, cleanBelowMs: 10 }));
    results.push({ ...result, startedAt: new Date(second * 1_000).toISOString() });
  }
  const stored = results.map((result, index) => ({ ...result, targetId: targetIds[index] as string, vantage: busy }));
  await insertResults(stored);
  return results;
}

describe.runIf(isLong)('four busy loops', { timeout: 600_000 }, () => {
  it('on the machine of a prober are no incident, and hide no rise of a third that others see', async () => {
    const targetIds = [await insertTarget({ name: 'shop' }), await insertTarget({ name: 'mail' })];
    const [, slowed = ''] = targetIds;
    const random = chance(9);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const checks: Check[] = targetIds.flatMap((targetId) => others.map((vantage) => ({ targetId, vantage })));
    const range = { from: BUSY_AT - 30 * 3_600, to: BUSY_AT + BUSY_ROUNDS * PERIOD, period: PERIOD };
    await writeHistory(checks, range, ({ targetId }, at) => {
      const factor = targetId === slowed && at >= BUSY_AT + 60 ? 1.33 : 1;
      return { rtt: 40 * Math.exp(0.03 * normal()), tls: 85 * factor * Math.exp(0.03 * normal()), ownDelay: 0.2 };
    });
    for (let round = 0; round < USUAL_ROUNDS; round += 1) await measureRound(START + round * PERIOD, targetIds);
    const loops = Array.from({ length: LOOPS }, () => new Worker('for (;;);', { eval: true }));
    const spoilt: Result[] = [];
    for (let round = 0; round < BUSY_ROUNDS; round += 1)
      spoilt.push(...(await measureRound(BUSY_AT + round * PERIOD, targetIds)));
    await Promise.all(loops.map((loop) => loop.terminate()));
    const delays = spoilt.map(({ prober }) => Math.max(prober.lateMs ?? 0, prober.loopDelayMs)).sort((a, b) => a - b);
    console.info(
      `own delay in the busy minutes: ${delays.map((ms) => ms.toFixed(0)).join(' ')} ms; clean: ${spoilt.filter(({ prober }) => prober.clean).length} of ${spoilt.length}`,
    );
    const job = createDetectionJob();
    while (await job.step((BUSY_AT + BUSY_ROUNDS * PERIOD + GRACE_SECONDS) * 1_000)) {
      // Each turn takes a stretch.
    }
    await job.close();
    const { data } = await listIncidents({ limit: 10 });
    expect(data.map(({ kind, targetId }) => ({ kind, targetId }))).toEqual([{ kind: 'spike', targetId: slowed }]);
    expect(data[0]?.cells.map(({ vantageId }) => vantageId).sort()).toEqual(others.map(({ id }) => id).sort());
  });
});
