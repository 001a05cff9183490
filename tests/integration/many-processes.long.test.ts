import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EnrolResponse, IngestReport } from '#contract/ingest.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import type { Target } from '#contract/target.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { setAdminPassword } from '#server/access/admin.ts';
import { getPool } from '#server/database/database.ts';
import { WATCHED_BATCH_MS } from '#server/monitoring/watching.ts';
import { messageIdOf } from '#server/webhooks/enqueue.ts';
import { type ApiUnderTest, startApi } from '../support/api.ts';
import { asker } from '../support/openapi.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { makeResult } from '../support/results.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Requests of a key in a minute: more than any test sends. */
const LIMIT = 1_000;
const ENV = { ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '1', ROUNDTRIP_RATE_LIMIT: `${LIMIT}` };
const BATCHES = 40;
const PER_BATCH = 25;

let api: ApiUnderTest;
let second: TestServer;
let receiver: Receiver;
const jobs: ChildProcess[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
  api = await startApi(ENV);
  second = await startTestServer({ env: ENV });
  for (let n = 0; n < 2; n++) {
    const child = fork('workers/jobs/main.ts', {
      env: { ...process.env, ...ENV, ROUNDTRIP_SECRET: SECRET, LOG_LEVEL: 'error' },
    });
    jobs.push(child);
    await once(child, 'message');
  }
});
afterAll(async () => {
  for (const child of jobs) child.kill('SIGKILL');
  await second.stop();
  await api.stop();
  await receiver.stop();
});

/** As the web processes of tests have it. */
const SECRET = 'a secret of the tests, and of them alone';

it('counts wrong passwords over all of them', async () => {
  await setAdminPassword('the password of this test');
  const body = { password: 'not the password' };
  const attempt = async (server: TestServer) =>
    (
      await fetch(`${server.baseUrl}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.baseUrl },
        body: JSON.stringify(body),
      })
    ).status;
  for (let n = 0; n < 5; n++) expect(await attempt(n % 2 ? second : api.server)).toBe(401);
  // A slow machine must not outlive the pause.
  await getPool().query(
    `update password_guess set blocked_until = blocked_until + interval '1 hour' where failures >= 5`,
  );
  expect([await attempt(second), await attempt(api.server)]).toEqual([429, 429]);
});

it('counts the requests of a key, and knows who watches, over all of them', async () => {
  const [one, other] = [api.server, second];
  const made = await asker(second.baseUrl, api.keys.admin)('POST', '/api/v1/keys', { body: { scope: 'read' } });
  const { key } = made.json as { key: string };
  const left = async ({ baseUrl }: TestServer) =>
    Number((await asker(baseUrl, key)('GET', '/api/v1/session')).headers.get('ratelimit-remaining'));
  const remaining = [await left(one), await left(other), await left(one), await left(other)];
  expect(remaining).toEqual([1, 2, 3, 4].map((asked) => LIMIT - asked));
  // A slow machine must not outlive the minute.
  await getPool().query(`update request_count set points = ${LIMIT}, expire = expire + 3600000 where points = 4`);
  for (const { baseUrl } of [one, other])
    expect((await asker(baseUrl, key)('GET', '/api/v1/session')).status).toBe(429);

  const body = { token: await enrolmentToken(), engineVersion: 1 };
  const { credential } = (await asker(one.baseUrl)('POST', '/api/ingest/enrol', { body })).json as EnrolResponse;
  const counts = { checks: 0, threads: 1, started: 0, missed: 0, retaken: 0, unclean: 0, dropped: 0 };
  const report = { since: new Date().toISOString(), ...counts };
  const askedOf = async ({ baseUrl }: TestServer) =>
    (
      (await asker(baseUrl, credential)('POST', '/api/ingest/results', { body: { results: [], report } }))
        .json as IngestReport
    ).nextBatchMs;
  const read = await asker(one.baseUrl, api.keys.admin)('GET', '/api/v1/results?limit=1');
  expect(read.status).toBe(200);
  await expect.poll(() => askedOf(other), { interval: 500 }).toBe(WATCHED_BATCH_MS);
});

it('two of each, one of each killed under load: nothing is stored twice, nothing is missed, and figures equal results', async () => {
  const target = (
    await api.ask('POST', '/api/v1/targets', { body: { url: 'https://shop.example.org/', periodSeconds: 10 } })
  ).json as Target;
  const place = { name: 'Guangdong', country: 'CN', region: 'CN-GD', carrier: 'telecom' };
  const { token } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
  const { credential, vantages } = (
    await asker(second.baseUrl)('POST', '/api/ingest/enrol', { body: { token, engineVersion: 1 } })
  ).json as Required<EnrolResponse>;
  const vantage = vantages[0] as VantageRef;
  const hook = await api.ask('POST', '/api/v1/webhooks', {
    body: { name: 'here', url: receiver.url, format: 'standard' },
  });
  const { id: hookId } = hook.json as { id: string };

  const begin = Date.now() - 3_600_000;
  const sent: string[] = [];
  let accepted = 0;
  let duplicates = 0;
  /** As a prober does: the same batch again, to whoever answers. */
  const send = async (results: Result[], first: number) => {
    const urls = [api.server.baseUrl, second.baseUrl];
    for (let attempt = 0; ; attempt++) {
      try {
        const url = urls[(first + attempt) % 2] as string;
        const answer = await asker(url, credential)('POST', '/api/ingest/results', { body: { results } });
        expect(answer.status).toBe(200);
        expect((answer.json as IngestReport).rejected).toEqual([]);
        accepted += (answer.json as IngestReport).accepted;
        duplicates += (answer.json as IngestReport).duplicates;
        return;
      } catch (error) {
        if (attempt > 5 || !(error instanceof TypeError)) throw error;
      }
    }
  };
  const batch = async (n: number) => {
    const results = Array.from({ length: PER_BATCH }, (_, at) =>
      makeResult({ targetId: target.id, vantage, startedAt: begin + n * 40_000 + at * 1_500 }),
    );
    sent.push(...results.map(({ id }) => id));
    await send(results, n);
    if (n % 4 === 0) await send(results, n + 1);
  };
  const messages: string[] = [];
  const message = async () => {
    const { json } = await asker(second.baseUrl, api.keys.admin)('POST', `/api/v1/webhooks/${hookId}/test`);
    messages.push(messageIdOf((json as { id: string }).id));
  };
  for (let n = 0; n < BATCHES; n += 4) {
    await Promise.all([...[0, 1, 2, 3].map((more) => batch(n + more)), message()]);
    if (n === 12) process.kill(api.server.pid as number, 'SIGKILL');
    if (n === 20) jobs[0]?.kill('SIGKILL');
  }

  const { rows } = await getPool().query<{ n: number; ids: number }>(
    'select count(*)::int as n, count(distinct id)::int as ids from result',
  );
  expect(rows).toEqual([{ n: sent.length, ids: sent.length }]);
  // A batch whose answer was lost with the process was stored, and counted as sent twice when it came again.
  expect(accepted).toBeLessThanOrEqual(sent.length);
  expect(accepted + duplicates).toBeGreaterThanOrEqual(sent.length);

  const counted = async () =>
    (await getPool().query('select coalesce(sum(total), 0)::int as n from rollup_minute')).rows[0].n;
  await expect.poll(counted).toBe(sent.length);
  const heard = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  // What the killed process was sending is sent again under its id once its lease is over.
  await expect.poll(() => messages.filter((id) => !heard().has(id)), { timeout: 90_000 }).toEqual([]);
  expect(heard().size).toBe(messages.length);
}, 180_000);

async function enrolmentToken(): Promise<string> {
  const place = { name: 'Beijing', country: 'CN', region: 'CN-BJ', carrier: 'unicom' };
  const made = await asker(second.baseUrl, api.keys.admin)('POST', '/api/v1/enrolments', { body: place });
  return (made.json as Enrolment).token;
}
