import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPast } from '#cli/demo/load-past.ts';
import type { Delivery } from '#contract/delivery.ts';
import type { Incident } from '#contract/incident.ts';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { congestionAt } from '#demo/present/script.ts';
import { getPool } from '#server/database/database.ts';
import { ensureDemo } from '#server/demo/demo.ts';
import { pointDemoWebhook } from '#server/webhooks/demo-receiver.ts';
import { type ApiUnderTest, startApi } from '../support/api.ts';
import { isLong } from '../support/extent.ts';
import { prepareFolder } from '../support/folder.ts';
import { clockAhead } from '../support/instants.ts';

// What a new user sees of the demo, with its real processes: web, jobs, origins and prober. Three things are faster: the
// demo was made a while ago, so that its first congestion begins at once; checks run every 10 s; and the clock of the jobs
// is a minute ahead, which spares the wait for late results. In `npm test` tests/e2e/demo-e-congestion.test.ts sees the same
// of the demo that the end-to-end tests run on.

const ROOT = join(import.meta.dirname, '../..');
const REGIONS = ['CN-GD', 'CN-SN', 'CN-GS', 'CN-HB'];
const vantages = DEMO_VANTAGES.filter(({ region }) => REGIONS.includes(region)).map((vantage) => ({ ...vantage }));
const MADE_AGO_MS = 100_000;
// The first message waits for up to a minute while its incident grows, and the incident needs most of another to open.
const MESSAGE_WITHIN_MS = 240_000;

type Said = { origins: { key: string; name: string; url: string; caPem: string }[]; receiver: string };

let api: ApiUnderTest;
let said: Said;
let madeAt: Date;
const children: ChildProcess[] = [];
const steps: string[] = [];
let past: Promise<void>;

const folder = prepareFolder('demo-live');
beforeAll(async () => {
  delete process.env.ROUNDTRIP_ALLOW_PRIVATE_TARGETS;
  process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
  api = await startApi();
}, 300_000);
afterAll(async () => {
  await past?.catch(() => {});
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await api.stop();
});

function start(file: string, env: Record<string, string>, execArgv: string[] = []): ChildProcess {
  const child = fork(join(ROOT, file), {
    cwd: ROOT,
    execArgv,
    silent: true,
    env: { ...process.env, LOG_LEVEL: 'error', ...env },
  });
  children.push(child);
  return child;
}

const get = async <T>(path: string) => (await api.ask('GET', path)).json as T;
const incidents = async () =>
  (await get<{ data: Incident[] }>('/api/v1/incidents?limit=1000')).data.filter(
    ({ openedAt }) => new Date(openedAt) > madeAt,
  );
const atReceiver = async () => await (await fetch(said.receiver)).text();

describe.runIf(isLong)('the demo, as a new user sees it', { timeout: 2 * MESSAGE_WITHIN_MS }, () => {
  it('opens an incident of the congested carrier and tells the receiver on this machine', async () => {
    const demo = start('demo/main.ts', { ROUNDTRIP_SERVER: api.server.baseUrl, ROUNDTRIP_DATA: folder });
    [said] = (await once(demo, 'message')) as [Said];
    const token = await ensureDemo({ origins: said.origins, vantages, periodSeconds: 10 });
    madeAt = new Date(Date.now() - MADE_AGO_MS);
    await getPool().query('update target set created_at = $1', [madeAt]);
    await pointDemoWebhook(said.receiver);
    const begun = performance.now();
    demo.send({ token, madeAtMs: madeAt.getTime() });
    const ahead = clockAhead(55_000);
    start('workers/jobs/main.ts', { DATABASE_URL: process.env.DATABASE_URL ?? '', ...ahead.env }, ahead.execArgv);
    past = loadPast((text) => steps.push(text));
    const congested = congestionAt(madeAt.getTime(), madeAt.getTime() + 180_000)?.carrier;
    await expect
      .poll(atReceiver, { timeout: MESSAGE_WITHIN_MS, interval: 500 })
      .toMatch(/tls\.spike\.opened.*\n.*"cause":"network"/);
    console.info(
      `a message at the receiver ${((performance.now() - begun) / 1_000).toFixed(1)} s after measuring began`,
    );
    const [incident] = (await incidents()).filter(({ kind, cause }) => kind === 'spike' && cause === 'network');
    const { share = 0, weightedMs = null } = incident?.impact ?? {};
    const severity = share >= 0.3 && (weightedMs ?? 0) >= 20 ? 'critical' : 'warning';
    expect(incident).toMatchObject({ carrier: congested, demo: true, severity });
    expect(new Set(incident?.cells.map(({ carrier }) => carrier))).toEqual(new Set([congested]));
    // As of the moment in which it was opened: the queue is still growing then.
    expect(incident?.effectMs ?? 0).toBeGreaterThan(5);
    const [webhook] = (await get<{ data: { id: string; demo: boolean }[] }>('/api/v1/webhooks')).data;
    const deliveries = async () => (await get<{ data: Delivery[] }>(`/api/v1/webhooks/${webhook?.id}/deliveries`)).data;
    const told = () => deliveries().then((all) => all.find(({ incidentId }) => incidentId === incident?.id)?.status);
    await expect.poll(told).toBe('delivered');
  });

  it('tells nobody of the generated past, whose incidents are there as well', async () => {
    await past;
    expect(steps).toHaveLength(3);
    const { data } = await get<{ data: Incident[] }>('/api/v1/incidents?limit=1000');
    const generated = data.filter(({ openedAt }) => new Date(openedAt) < madeAt);
    expect(generated.length).toBeGreaterThan(4);
    const { rows } = await getPool().query('select incident_id as id from delivery');
    const ids = new Set(generated.map(({ id }) => id));
    expect(rows.filter(({ id }) => ids.has(id))).toEqual([]);
  });
});
