import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IngestReport, ProberReport } from '#contract/ingest.ts';
import type { VantageRef } from '#contract/result.ts';
import { createKey } from '#server/access/keys.ts';
import { getPool } from '#server/database/database.ts';
import { removeDemo } from '#server/demo/demo.ts';
import { BATCH_MS, noteFiguresRead, WATCHED_BATCH_MS, WATCHED_FOR_MS } from '#server/monitoring/watching.ts';
import { CONTACT_EVERY_MS, noteContact, SKEW_MOVED_MS } from '#server/vantages/contact.ts';
import { enrolVantages, exchangeToken, reenrolVantages } from '#server/vantages/enrolments.ts';
import { PROBER_FRESH_MS } from '#server/vantages/probers.ts';
import { deleteVantage, getVantage } from '#server/vantages/vantages.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeResult } from '../support/results.ts';

// What a batch costs the database while nothing changes, and how soon a change is known all the same.

/** The statements that this process sends. */
const statements: string[] = [];

let answer: (request: Request) => Promise<Response>;
process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';
process.env.LOG_LEVEL = 'silent';
prepareTestDatabase();
beforeAll(async () => {
  const query = pg.Client.prototype.query;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const [what] = given;
    statements.push(typeof what === 'string' ? what : String((what as { text?: unknown }).text));
    return Reflect.apply(query, this, given);
  });
  ({ answer } = await import('#server/api/api.ts'));
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(async () => {
  vi.useRealTimers();
});
beforeEach(() => {
  statements.length = 0;
  noteFiguresRead(performance.now() - WATCHED_FOR_MS - 1);
});

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const sent = (pattern: RegExp) => statements.filter((text) => pattern.test(text)).length;

type Enrolled = { credential: string; proberId: string; vantages: VantageRef[] };

async function enrol(options: { demo?: boolean } = {}): Promise<Enrolled> {
  const place = { name: 'Guangdong Telecom', region: 'CN-GD', carrier: 'telecom', city: null, asn: null } as const;
  const { token } = await enrolVantages([{ ...place, access: 'idc' }], options);
  return await exchange(token);
}

async function exchange(token: string): Promise<Enrolled> {
  const { credential = '', proberId, vantages } = await exchangeToken({ token, engineVersion: 1 });
  return { credential, proberId, vantages };
}

const request = (method: string, path: string, secret: string, body?: object) =>
  new Request(`http://127.0.0.1${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function send(credential: string, body: object = { results: [], report: report() }) {
  const response = await answer(request('POST', '/api/ingest/results', credential, body));
  return { status: response.status, answer: (await response.json()) as IngestReport };
}

const report = (changes: Partial<ProberReport> = {}): ProberReport => ({
  since: new Date().toISOString(),
  checks: 1,
  threads: 1,
  started: 1,
  missed: 0,
  retaken: 0,
  unclean: 0,
  dropped: 0,
  ...changes,
});

const sentAt = (aheadMs = 0) => new Date(Date.now() + aheadMs).toISOString();

it('a batch costs one look at its ids, one at the word of its prober, and one transaction', async () => {
  const { credential, vantages } = await enrol();
  const [vantage] = vantages;
  if (!vantage) throw new Error('a prober serves a vantage');
  const targetId = await insertTarget();
  await assignAll();
  const batch = () => ({
    sentAt: sentAt(),
    results: [makeResult({ targetId, vantage, startedAt: Date.now() })],
  });
  expect(await send(credential, { ...batch(), report: report() })).toMatchObject({ answer: { accepted: 1 } });
  pass(1_000);
  statements.length = 0;
  expect(await send(credential, batch())).toMatchObject({ answer: { accepted: 1 } });
  const inOrder = statements.filter((text) => !/^set jit|rollup/.test(text)).map((text) => text.trim().split(/\W/)[0]);
  // The prober's word of before, the ids, and the transaction.
  expect(inOrder).toEqual(['select', 'select', 'begin', 'copy', 'copy', 'commit']);
});

describe('the credential of a prober', () => {
  const READS = /from prober p join vantage/;

  it('is read once in 30 seconds', async () => {
    const { credential } = await enrol();
    for (let n = 0; n < 3; n += 1) expect((await send(credential)).status).toBe(200);
    expect(sent(READS)).toBe(1);
    pass(PROBER_FRESH_MS);
    expect((await send(credential)).status).toBe(200);
    expect(sent(READS)).toBe(2);
  });

  it('is asked for each time while it is unknown', async () => {
    for (let n = 0; n < 3; n += 1) expect((await send('rtp_made-up')).status).toBe(401);
    expect(sent(READS)).toBe(3);
    expect((await send('no credential at all')).status).toBe(401);
    expect(sent(READS)).toBe(3);
  });

  it('is refused 30 seconds after another process revoked it', async () => {
    const { credential, vantages } = await enrol();
    expect((await send(credential)).status).toBe(200);
    await getPool().query('update vantage set deleted_at = now() where id = $1', [vantages[0]?.id]);
    pass(PROBER_FRESH_MS - 1);
    expect((await send(credential)).status).toBe(200);
    pass(1);
    expect((await send(credential)).status).toBe(401);
  });

  it('is refused at once where its vantage is deleted here, or taken over by another prober', async () => {
    const [first, second] = [await enrol(), await enrol()];
    for (const { credential } of [first, second]) expect((await send(credential)).status).toBe(200);
    await deleteVantage(first.vantages[0]?.id ?? '');
    expect((await send(first.credential)).status).toBe(401);
    expect((await send(second.credential)).status).toBe(200);
    const { token } = await reenrolVantages(second.vantages.map(({ id }) => id));
    const next = await exchange(token);
    expect((await send(second.credential)).status).toBe(401);
    expect((await send(next.credential)).status).toBe(200);
  });

  it('is refused at once where the demo is removed here', async () => {
    const { credential } = await enrol({ demo: true });
    expect((await send(credential)).status).toBe(200);
    await removeDemo();
    expect((await send(credential)).status).toBe(401);
  });

  it('costs a prober nothing but its report where the prober is gone meanwhile', async () => {
    const { credential, proberId } = await enrol();
    expect((await send(credential)).status).toBe(200);
    await getPool().query('delete from vantage where prober_id = $1', [proberId]);
    await getPool().query('delete from prober where id = $1', [proberId]);
    expect((await send(credential)).status).toBe(200);
  });
});

describe('the contact of a prober', () => {
  const seen = async ({ vantages }: Enrolled) => {
    const { lastSeenAt, clockSkewMs } = await getVantage(vantages[0]?.id ?? '');
    return { agoMs: Date.now() - Date.parse(lastSeenAt ?? ''), clockSkewMs };
  };

  it('is noted every 15 seconds', async () => {
    const prober = await enrol();
    await noteContact(prober.proberId, { sentAt: sentAt(200) });
    pass(CONTACT_EVERY_MS - 1);
    await noteContact(prober.proberId, { sentAt: sentAt(300) });
    await noteContact(prober.proberId);
    expect(await seen(prober)).toEqual({ agoMs: CONTACT_EVERY_MS - 1, clockSkewMs: 200 });
    pass(1);
    await noteContact(prober.proberId, { sentAt: sentAt(300) });
    expect(await seen(prober)).toEqual({ agoMs: 0, clockSkewMs: 300 });
    expect(sent(/update prober/)).toBe(2);
  });

  it('is noted at once where its clock was set', async () => {
    const prober = await enrol();
    await noteContact(prober.proberId, { sentAt: sentAt() });
    await noteContact(prober.proberId, { sentAt: sentAt(SKEW_MOVED_MS) });
    expect(await seen(prober)).toMatchObject({ clockSkewMs: 0 });
    await noteContact(prober.proberId, { sentAt: sentAt(-SKEW_MOVED_MS - 1) });
    expect(await seen(prober)).toMatchObject({ clockSkewMs: -SKEW_MOVED_MS - 1 });
  });

  it('keeps the skew, and does not hold up a new one, where the prober says no time', async () => {
    const prober = await enrol();
    await noteContact(prober.proberId);
    await noteContact(prober.proberId, { sentAt: sentAt(400) });
    pass(CONTACT_EVERY_MS);
    await noteContact(prober.proberId);
    expect(await seen(prober)).toEqual({ agoMs: 0, clockSkewMs: 400 });
    await noteContact(prober.proberId, { sentAt: sentAt(500) });
    expect(await seen(prober)).toMatchObject({ clockSkewMs: 500 });
  });

  it('is noted in one statement with a report', async () => {
    const prober = await enrol();
    expect((await send(prober.credential)).status).toBe(200);
    pass(1_000);
    statements.length = 0;
    expect((await send(prober.credential, { results: [], report: report(), sentAt: sentAt(70) })).status).toBe(200);
    expect(sent(/prober/)).toBe(1);
    expect(await seen(prober)).toEqual({ agoMs: 0, clockSkewMs: 70 });
    expect((await getVantage(prober.vantages[0]?.id ?? '')).prober?.lastHour.started).toBe(2);
  });
});

describe('the answer to a batch', () => {
  it('asks for the next one in 5 seconds, and in one while somebody reads figures', async () => {
    const { credential } = await enrol();
    const asked = async () => (await send(credential)).answer.nextBatchMs;
    expect(await asked()).toBe(BATCH_MS);
    const { key } = await createKey({ name: 'reader', scope: 'read' });
    const read = async (path: string) => (await answer(request('GET', path, key))).status;
    expect(await read('/api/v1/vantages')).toBe(200);
    expect(await asked()).toBe(BATCH_MS);
    expect(await read('/api/v1/results')).toBe(200);
    expect(await asked()).toBe(WATCHED_BATCH_MS);
  });
});
