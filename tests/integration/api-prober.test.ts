import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Assignments } from '#contract/check.ts';
import type { EnrolResponse } from '#contract/ingest.ts';
import type { Target } from '#contract/target.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { getPrisma } from '#server/database/database.ts';
import { enrolVantages, reenrolVantages } from '#server/vantages/enrolments.ts';
import { type Answer, asker } from '../support/openapi.ts';
import { prepareApi } from '../support/prepare.ts';
import { startTestServer } from '../support/server.ts';

const api = prepareApi();

const place = { name: 'Guangdong Telecom', country: 'CN', region: 'CN-GD', carrier: 'telecom' };
/** The answer that is not 503: a server that is too busy to begin says so, and a prober asks again. */
async function served(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}
const enrolment = async (body: object = {}) =>
  (await served(() => api.ask('POST', '/api/v1/enrolments', { body: { ...place, ...body } }))).json as Enrolment;
const exchange = (token: string) => {
  const body = { token, engineVersion: 1, host: 'edge-1' };
  return served(() => asker(api.server.baseUrl)('POST', '/api/ingest/enrol', { body }));
};
const prober = async (token: string) => (await exchange(token)).json as Required<EnrolResponse>;
const ask = (credential: string, since?: string) =>
  served(() =>
    asker(api.server.baseUrl, credential)(
      'GET',
      `/api/ingest/assignments${since === undefined ? '' : `?since=${since}`}`,
    ),
  );
const assignments = async (credential: string, since?: string) => (await ask(credential, since)).json as Assignments;
const createTarget = async (body: object) =>
  (await served(() => api.ask('POST', '/api/v1/targets', { body }))).json as Target;

describe('enrolling', () => {
  it('a vantage needs no country: its region begins with it', async () => {
    const body = { name: 'Oregon', region: 'US-OR', carrier: 'lumen' };
    const { status, json } = await served(() => api.ask('POST', '/api/v1/enrolments', { body }));
    expect([status, (json as Enrolment).vantage.country]).toEqual([201, 'US']);
  });

  it('makes a vantage, and exchanges its token once for a credential', async () => {
    const { token, vantage } = await enrolment();
    expect(vantage).toMatchObject({ ...place, proberId: null, lastSeenAt: null, demo: false, access: 'idc' });
    const { credential, proberId, vantages } = await prober(token);
    expect(vantages.map(({ id }) => id)).toEqual([vantage.id]);
    expect((await api.ask('GET', `/api/v1/vantages/${vantage.id}`)).json).toMatchObject({ proberId });
    expect((await exchange(token)).status).toBe(401);
    expect((await ask(credential)).status).toBe(200);
    const stored = JSON.stringify([await getPrisma().enrolment.findMany(), await getPrisma().prober.findMany()]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(credential);
  });

  it('lets one of many win who use a token at once', async () => {
    const { token } = await enrolment();
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(token)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(401)]);
  });

  it('answers the same token again where the prober made the credential, and nobody else', async () => {
    const { token, vantage } = await enrolment();
    const credential = `rtp_${randomBytes(32).toString('base64url')}`;
    const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
    const exchangeOwn = (credentialHash: string) =>
      asker(api.server.baseUrl)('POST', '/api/ingest/enrol', { body: { token, engineVersion: 1, credentialHash } });
    const before = await getPrisma().prober.count();
    const answers = await Promise.all(Array.from({ length: 4 }, () => exchangeOwn(hashOf(credential))));
    await getPrisma().enrolment.updateMany({ where: { vantageId: vantage.id }, data: { expiresAt: new Date(0) } });
    answers.push(await exchangeOwn(hashOf(credential))); // a prober that was down for a while
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.json).toMatchObject({ vantages: [{ id: vantage.id }] });
    expect(answers[0]?.json).not.toHaveProperty('credential');
    expect(await getPrisma().prober.count()).toBe(before + 1);
    expect((await ask(credential)).status).toBe(200);
    expect((await exchangeOwn(hashOf('rtp_another'))).status).toBe(401);
    expect((await exchange(token)).status).toBe(401);
    expect(await exchangeOwn('not a hash')).toMatchObject({
      status: 400,
      json: { errors: [{ field: 'credentialHash' }] },
    });
  });

  it('no longer answers a token whose vantage another prober has taken over', async () => {
    const { token, vantage } = await enrolment();
    const credentialHash = createHash('sha256').update('rtp_of-the-first-prober').digest('hex');
    const body = { token, engineVersion: 1, credentialHash };
    const again = () => asker(api.server.baseUrl)('POST', '/api/ingest/enrol', { body });
    expect((await again()).status).toBe(200);
    const next = await reenrolVantages([vantage.id]);
    expect((await exchange(next.token)).status).toBe(200);
    expect((await again()).status).toBe(401);
  });

  it('gives a vantage a new token: its prober goes on until somebody uses it, and is locked out then', async () => {
    const first = await enrolment();
    const { credential } = await prober(first.token);
    const path = `/api/v1/vantages/${first.vantage.id}/enrolments`;
    const unused = (await api.ask('POST', path)).json as Enrolment;
    const answer = await api.ask('POST', path, { body: { expiresInSeconds: 60 } });
    const renewed = answer.json as Enrolment;
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/api/v1/vantages/${first.vantage.id}`]);
    expect(renewed.vantage).toMatchObject({ id: first.vantage.id, name: place.name });
    expect(Date.parse(renewed.expiresAt)).toBeLessThan(Date.parse(unused.expiresAt));
    expect((await ask(credential)).status).toBe(200);
    expect((await exchange(unused.token)).status).toBe(401);
    const next = await prober(renewed.token);
    expect(next.vantages.map(({ id }) => id)).toEqual([first.vantage.id]);
    expect([(await ask(next.credential)).status, (await exchange(renewed.token)).status]).toEqual([200, 401]);
    expect(await getPrisma().vantage.count({ where: { id: first.vantage.id, proberId: next.proberId } })).toBe(1);

    expect((await api.ask('POST', path, { key: api.keys.read })).status).toBe(403);
    expect((await api.ask('POST', path, { body: { expiresInSeconds: 1 } })).json).toMatchObject({
      errors: [{ field: 'expiresInSeconds' }],
    });
    await api.ask('DELETE', `/api/v1/vantages/${first.vantage.id}`);
    expect((await api.ask('POST', path)).status).toBe(404);
  });

  it('refuses a token that has expired, or is made up', async () => {
    const { token, vantage } = await enrolment();
    await getPrisma().enrolment.updateMany({
      where: { vantageId: vantage.id },
      data: { expiresAt: new Date(Date.now() - 1) },
    });
    expect((await exchange(token)).status).toBe(401);
    expect((await exchange('rte_made-up-and-long-enough')).status).toBe(401);
  });

  it('refuses a region of another country, with the field named and nothing stored', async () => {
    const before = await getPrisma().vantage.count();
    const answer = await api.ask('POST', '/api/v1/enrolments', { body: { ...place, region: 'US-CA' } });
    expect(answer.json).toMatchObject({ status: 400, errors: [{ field: 'region' }] });
    expect(await getPrisma().vantage.count()).toBe(before);
  });

  it('serves several vantages with one token', async () => {
    const two = [place, { ...place, name: 'Guangdong Unicom', carrier: 'unicom' }];
    const full = two.map((one) => ({ ...one, city: null, asn: null, access: 'idc' as const }));
    const { token } = await enrolVantages(full);
    expect((await prober(token)).vantages).toHaveLength(2);
  });
});

describe('a vantage', () => {
  it('can be relabelled, but not into a contradiction', async () => {
    const { vantage } = await enrolment();
    const path = `/api/v1/vantages/${vantage.id}`;
    expect((await api.ask('PATCH', path, { body: { region: 'CN-BJ', city: 'Beijing' } })).json).toMatchObject({
      region: 'CN-BJ',
    });
    const answer = await api.ask('PATCH', path, { body: { country: 'US' } });
    expect(answer.json).toMatchObject({ status: 400, errors: [{ field: 'country' }] });
    expect((await api.ask('GET', '/api/v1/vantages')).text).toContain('Beijing');
  });
});

describe('assignments', () => {
  it('come whole first and then as what has changed', async () => {
    const { token, vantage } = await enrolment({ region: 'CN-HL' });
    const { credential } = await prober(token);
    const only = { vantages: { vantageIds: [vantage.id] } };
    const target = await createTarget({ url: 'https://delta.example.org/', periodSeconds: 10, ...only });
    const first = await assignments(credential);
    expect(first.full).toBe(true);
    const check = first.checks.find(({ targetId }) => targetId === target.id);
    expect(check).toMatchObject({
      url: target.url,
      timeoutMs: 8_000,
      allowPrivate: false,
      vantage: { id: vantage.id },
    });

    const idle = await assignments(credential, first.revision);
    expect(idle).toMatchObject({ full: false, checks: [], removed: [], revision: first.revision });

    await api.ask('PATCH', `/api/v1/targets/${target.id}`, { body: { periodSeconds: 60 } });
    const changed = await assignments(credential, first.revision);
    expect(changed.checks).toMatchObject([{ id: check?.id, periodSeconds: 60, timeoutMs: 32_000 }]);

    await api.ask('PATCH', `/api/v1/targets/${target.id}`, { body: { enabled: false } });
    const paused = await assignments(credential, changed.revision);
    expect(paused).toMatchObject({ full: false, checks: [], removed: [check?.id] });

    await api.ask('PATCH', `/api/v1/targets/${target.id}`, { body: { enabled: true } });
    expect((await assignments(credential, paused.revision)).checks).toMatchObject([{ id: check?.id }]);
  });

  it('are those that the target’s selector matches', async () => {
    const [south, north] = [
      await enrolment({ region: 'CN-HI' }),
      await enrolment({ region: 'CN-NM', carrier: 'mobile' }),
    ];
    const [inSouth, inNorth] = [await prober(south.token), await prober(north.token)];
    const target = await createTarget({
      url: 'https://south.example.org/',
      vantages: { regions: ['CN-HI', 'CN-GX'], carriers: ['telecom'] },
    });
    const ids = async (credential: string) => (await assignments(credential)).checks.map(({ targetId }) => targetId);
    expect(await ids(inSouth.credential)).toContain(target.id);
    expect(await ids(inNorth.credential)).not.toContain(target.id);
    await api.ask('PATCH', `/api/v1/vantages/${north.vantage.id}`, { body: { region: 'CN-GX', carrier: 'telecom' } });
    expect(await ids(inNorth.credential)).toContain(target.id);
  });

  it.each(['made-up', '999999999.abcdefghijkl', '0', '5.'])(
    'come whole for a revision that is none: %s',
    async (since) => {
      const { token } = await enrolment();
      const { credential } = await prober(token);
      expect(await assignments(credential, since)).toMatchObject({ full: true });
    },
  );

  it('miss nothing while many change at once', async () => {
    const { token, vantage } = await enrolment({ region: 'CN-XZ' });
    const { credential } = await prober(token);
    const known = new Map<string, string>();
    let revision = (await assignments(credential)).revision;
    let working = true;
    const follow = async () => {
      while (working) {
        const delta = await assignments(credential, revision);
        expect(delta.full).toBe(false);
        for (const check of delta.checks) known.set(check.id, check.url);
        for (const id of delta.removed) known.delete(id);
        revision = delta.revision;
      }
    };
    const following = follow();
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        createTarget({ url: `https://many${n}.example.org/`, vantages: { vantageIds: [vantage.id] } }),
      ),
    );
    await Promise.all(made.slice(0, 8).map(({ id }) => served(() => api.ask('DELETE', `/api/v1/targets/${id}`))));
    working = false;
    await following;
    const last = await assignments(credential, revision);
    for (const check of last.checks) known.set(check.id, check.url);
    for (const id of last.removed) known.delete(id);
    const whole = (await assignments(credential)).checks.map(({ url }) => url);
    expect([...known.values()].filter((url) => url.includes('many')).toSorted()).toEqual(
      whole.filter((url) => url.includes('many')).toSorted(),
    );
    expect(whole.filter((url) => url.includes('many'))).toHaveLength(16);
  });

  it('end for a prober whose last vantage was deleted', async () => {
    const { token, vantage } = await enrolment();
    const { credential } = await prober(token);
    expect((await ask(credential)).status).toBe(200);
    expect((await api.ask('DELETE', `/api/v1/vantages/${vantage.id}`)).status).toBe(204);
    expect((await ask(credential)).status).toBe(401);
    expect((await api.ask('GET', `/api/v1/vantages/${vantage.id}`)).status).toBe(404);
  });

  it('are for probers alone', async () => {
    expect((await ask('')).status).toBe(401);
    expect((await ask(api.keys.admin)).status).toBe(401);
    expect((await ask('rtp_made-up')).status).toBe(401);
  });
});

describe('a request that is held', () => {
  it('is answered when the server stops, which does not wait for it', async () => {
    const { token } = await enrolment();
    const { credential } = await prober(token);
    const stopping = await startTestServer();
    const held = asker(stopping.baseUrl, credential)('GET', '/api/ingest/measurements');
    // Asked later, answered earlier: the other one has arrived and waits.
    await asker(stopping.baseUrl, credential)('GET', '/api/ingest/assignments');
    const begun = performance.now();
    await stopping.stop();
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(await held).toMatchObject({ status: 200, json: { data: [] } });
  });
});
