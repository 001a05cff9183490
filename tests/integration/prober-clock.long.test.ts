import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, vi } from 'vitest';
import { getPool } from '#server/database/database.ts';
import { getVantage } from '#server/vantages/vantages.ts';
import { end, prepareRoutes, type RoutesScene, routesTest as test, within } from '../support/prober-scene.ts';
import { minutesOf, storedResults } from '../support/watched.ts';

// Prober processes whose wall clock is wrong, and a target that writes down by a right one when they came.

prepareRoutes();

const SHIM = pathToFileURL(join(import.meta.dirname, '../support/shifted-clock.mjs')).href;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From the start of a probe to its handshake's end on a busy machine, and the grain of the clocks. */
const NEAR_MS = 1_500;

const clockFile = ({ bench }: RoutesScene) => join(bench.dataDir, 'off');
const setClock = (scene: RoutesScene, offMs: number) => writeFileSync(clockFile(scene), String(offMs));

/** A prober process with the clock that was set; resolves once it measures. */
async function startProber(scene: RoutesScene): Promise<ChildProcess> {
  const env = { SHIFTED_CLOCK_FILE: clockFile(scene), LOG_LEVEL: 'warn' };
  const child = scene.bench.spawn({ threads: 1, env, execArgv: ['--import', SHIM] });
  await once(child, 'message');
  return child;
}

const untilHandshakes = ({ target }: RoutesScene, count: number) =>
  vi.waitFor(() => expect(target.handshakes.length).toBeGreaterThanOrEqual(count), within);

/** Every handshake is stored as one Result at its true time, and the rollups have it in its true minute. */
async function expectTruth({ target, watched }: RoutesScene): Promise<void> {
  const stored = await storedResults(watched.targetId);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
  expect(stored).toHaveLength(target.handshakes.length);
  const apart = target.handshakes.map((at, index) => at - (stored[index]?.startedAt.getTime() ?? 0));
  expect(Math.min(...apart)).toBeGreaterThan(-NEAR_MS);
  expect(Math.max(...apart)).toBeLessThan(NEAR_MS);
  const buckets = Map.groupBy(stored, ({ startedAt }) => Math.floor(startedAt.getTime() / MINUTE_MS) * MINUTE_MS);
  expect(await minutesOf(watched.targetId)).toEqual(new Map([...buckets].map(([at, each]) => [at, each.length])));
}

/** The time in a UUIDv7, ms since 1970. */
const mintedAt = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

function refusedFiles({ bench }: RoutesScene): string[] {
  const folder = join(bench.dataDir, 'quarantine');
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe.concurrent('a prober whose clock is wrong', () => {
  const OFF: [string, number][] = [
    ['40 days behind', -40 * DAY_MS],
    ['two hours ahead', 2 * HOUR_MS],
    ['ten minutes behind', -10 * MINUTE_MS],
  ];
  test.for(OFF)(
    'by %s brings every result at its true time, and says what it was put right by',
    async ([, offMs], { scene }) => {
      const { watched } = scene;
      setClock(scene, offMs);
      const prober = await startProber(scene);
      await scene.untilStored(3);
      await end(prober, 'SIGTERM');
      await expectTruth(scene);
      for (const { clockOffsetMs } of await storedResults(watched.targetId)) {
        expect(Math.abs((clockOffsetMs ?? 0) - offMs)).toBeLessThan(NEAR_MS);
      }
      expect(Math.abs(((await getVantage(watched.vantageId)).clockSkewMs ?? 0) - offMs)).toBeLessThan(NEAR_MS);
      expect(refusedFiles(scene)).toEqual([]);
      // By then the server's time was known: ids are minted by it too.
      const last = (await storedResults(watched.targetId)).at(-1);
      expect(Math.abs(mintedAt(last?.id ?? '') - (last?.startedAt.getTime() ?? 0))).toBeLessThan(NEAR_MS);
    },
  );

  test('leaves a clock that is right alone', async ({ scene }) => {
    const { watched } = scene;
    setClock(scene, 0);
    const prober = await startProber(scene);
    await scene.untilStored(2);
    await end(prober, 'SIGTERM');
    await expectTruth(scene);
    expect((await storedResults(watched.targetId)).map(({ clockOffsetMs }) => clockOffsetMs)).not.toContainEqual(
      expect.any(Number),
    );
  });

  test('may have it set (NTP) while it measures and the server is away', async ({ scene }) => {
    const { proxy, target } = scene;
    setClock(scene, -10 * MINUTE_MS);
    const prober = await startProber(scene);
    await scene.untilStored(1);
    proxy.fault = () => ({ kind: 'hangUp' });
    await untilHandshakes(scene, target.handshakes.length + 2);
    setClock(scene, 0);
    await untilHandshakes(scene, target.handshakes.length + 3);
    proxy.fault = () => null;
    const measured = target.handshakes.length;
    await scene.untilStored(measured);
    await end(prober, 'SIGTERM');
    await expectTruth(scene);
  });

  test('may be started anew, before and after the clock was set, while the server is away: each result at its true time', async ({
    scene,
  }) => {
    const { bench, proxy, target } = scene;
    setClock(scene, -2 * HOUR_MS);
    await end(await startProber(scene), 'SIGTERM'); // knows its checks
    const known = target.handshakes.length;
    proxy.fault = () => ({ kind: 'hangUp' });
    const wrong = await startProber(scene);
    await untilHandshakes(scene, known + 3);
    await end(wrong, 'SIGTERM');
    const { epochs } = JSON.parse(readFileSync(join(bench.dataDir, 'clock.json'), 'utf8'));
    expect(epochs.at(-1)).toMatchObject({ aheadMs: null }); // nobody knows yet by how much its clock is off
    setClock(scene, 0);
    const right = await startProber(scene);
    await untilHandshakes(scene, target.handshakes.length + 2);
    proxy.fault = () => null;
    await scene.untilStored(target.handshakes.length);
    await end(right, 'SIGTERM');
    await expectTruth(scene);
  });

  test('stores no result twice where the answer is lost and the prober started anew in between', async ({ scene }) => {
    const { proxy, target, watched } = scene;
    setClock(scene, -10 * MINUTE_MS);
    let lost = 0;
    proxy.fault = ({ path }) => (path === '/api/ingest/results' && ++lost <= 3 ? { kind: 'loseAnswer' } : null);
    const first = await startProber(scene);
    await proxy.until(() => lost >= 2);
    await end(first, 'SIGKILL');
    setClock(scene, -3 * MINUTE_MS);
    const second = await startProber(scene);
    await scene.untilStored(target.handshakes.length);
    await end(second, 'SIGTERM');
    const stored = await storedResults(watched.targetId);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
    const { rows } = await getPool().query('select count(*)::int as n from result where target_id = $1', [
      watched.targetId,
    ]);
    expect(rows).toEqual([{ n: stored.length }]);
  });
});
