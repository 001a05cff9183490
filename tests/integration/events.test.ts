import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { v7 } from 'uuid';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GapEvent, IncidentEvent, MinuteEvent } from '#contract/event.ts';
import type { Incident } from '#contract/incident.ts';
import { createKey, revokeKey } from '#server/access/keys.ts';
import { getPool } from '#server/database/database.ts';
import { MOST_WAITING } from '#server/events/events.ts';
import { MAX_STREAMS, MAX_STREAMS_A_CALLER } from '#server/http/event-stream.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { closedMinutes } from '#server/rollups/closed.ts';
import { pumpRollups } from '#server/rollups/rollups.ts';
import { makeDetection, record } from '../support/detections.ts';
import { insertMinutes } from '../support/minutes.ts';
import { isDocumented } from '../support/openapi.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeVantage } from '../support/vantages.ts';

// Two web processes of one installation, asked over real connections.

const MINUTE_MS = 60_000;
const vantage = makeVantage('CN-GD', 'telecom');
let other: TestServer;
let shop: string;
let blog: string;
const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '100000' });
beforeAll(async () => {
  other = await startTestServer({ env: { ROUNDTRIP_RATE_LIMIT: '100000' } });
  shop = await insertTarget({ name: 'shop' });
  blog = await insertTarget({ name: 'blog' });
  await insertProber([vantage]);
});
afterAll(async () => {
  await other?.stop();
});

type Event = { id: string; name: string; data: unknown };

const opened = new Set<{ close: () => void }>();
afterEach(() => {
  for (const each of opened) each.close();
  opened.clear();
});

/** Reads a stream as it comes. `ended` resolves to what it ended with: null where it ended in order. */
async function follow({ query = '', key = api.keys.read, after, server = api.server }: Asked = {}) {
  // Not `fetch`: where a stream is given up it connects again, and a connection without a request keeps a server from stopping.
  const request = get(`${server.baseUrl}/api/v1/events${query}`, {
    agent: false,
    headers: { authorization: `Bearer ${key}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const seen = { events: [] as Event[], comments: 0, lastId: '' };
  const read = async () => {
    let text = '';
    for await (const piece of response.setEncoding('utf8')) {
      const whole = (text + piece).split('\n\n');
      text = whole.pop() ?? '';
      for (const block of whole) take(block, seen);
    }
  };
  const ended = read().then(
    () => null,
    (error: Error) => error,
  );
  const close = () => request.destroy();
  opened.add({ close });
  const { statusCode: status, headers } = response;
  if (status === 200) await expect.poll(() => seen.lastId).not.toBe('');
  return { status, headers, seen, ended, close };
}
type Asked = { query?: string; key?: string; after?: string; server?: TestServer };

function take(block: string, seen: { events: Event[]; comments: number; lastId: string }): void {
  if (block.startsWith(':')) seen.comments += 1;
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  seen.lastId = field('id') ?? seen.lastId;
  const name = field('event');
  if (name) seen.events.push({ id: seen.lastId, name, data: JSON.parse(field('data') ?? '') });
}

const incidentsIn = ({ events }: { events: Event[] }) =>
  events.filter(({ name }) => name === 'incident').map(({ data }) => data as IncidentEvent);
const told = (seen: { events: Event[] }, id: string) =>
  incidentsIn(seen).flatMap(({ changes, incident }) => (incident.id === id ? changes : []));

/** Opens an incident as the detector does, of a target of its own where none is given: three of one would be flapping. Its id. */
async function openIncident(of?: string): Promise<string> {
  const targetId = of ?? (await insertTarget());
  const at = new Date();
  await record([makeDetection({ targetId, vantage, at, group: v7() })], [], at);
  const { rows } = await getPool().query<{ id: string }>(
    'select id from incident where status = $1 order by id desc limit 1',
    ['open'],
  );
  return rows[0]?.id ?? '';
}
const acknowledge = (id: string) => updateIncident(id, { action: 'acknowledge', note: '' }, 'test');
const resolve = (id: string) => updateIncident(id, { action: 'resolve', note: '' }, 'test');

/** Results of minutes that are over and not closed: the last `count` of them. */
async function measure(targetId: string, count: number): Promise<number> {
  const first = Math.floor(Date.now() / MINUTE_MS) - 5;
  await getPool().query('update rollup_progress set open_from = $1', [first]);
  await insertMinutes({ targetId, vantages: [vantage], from: (first + 3 - count) * MINUTE_MS, count });
  return first;
}

describe('the stream of events', () => {
  it('tells of each minute once its rollups are computed, with the targets that have results in it', async () => {
    const first = await measure(shop, 2);
    const { seen } = await follow();
    const ofBlog = await follow({ query: `?target=${blog}` });
    const incidentsAlone = await follow({ query: '?types=incident' });
    await pumpRollups({ settled: true });
    const minuteOf = (offset: number) => new Date((first + offset) * MINUTE_MS).toISOString();
    await expect.poll(() => seen.events.length).toBeGreaterThanOrEqual(4);
    const minutes = seen.events.slice(0, 4).map(({ data }) => data as MinuteEvent);
    expect(minutes).toEqual([
      { minute: minuteOf(0), targets: [] },
      { minute: minuteOf(1), targets: [shop] },
      { minute: minuteOf(2), targets: [shop] },
      { minute: minuteOf(3), targets: [] },
    ]);
    expect(seen.events.map(({ name }) => name)).toEqual(seen.events.map(() => 'minute'));
    // The newest alone of those that were asked for.
    expect((await closedMinutes(first - 1, 2)).length).toBe(2);
    // A follower who wants none of these goes on behind them nevertheless.
    for (const each of [ofBlog, incidentsAlone]) {
      await expect.poll(() => each.seen.lastId.split('-')[0]).toBe(seen.lastId.split('-')[0]);
      expect(each.seen.events).toEqual([]);
    }
  });

  it('tells of an incident that opens, is acknowledged and ends, as lists show it; whichever process did it', async () => {
    const here = await follow();
    const there = await follow({ server: other });
    const ofBlog = await follow({ query: `?target=${blog.toUpperCase()}` });
    const minutesAlone = await follow({ query: '?types=minute' });
    const id = await openIncident();
    await expect.poll(() => told(here.seen, id)).toEqual(['opened']);
    await api.ask('PATCH', `/api/v1/incidents/${id}`, { body: { action: 'acknowledge' } });
    await expect.poll(() => told(there.seen, id)).toEqual(['opened', 'acknowledged']);
    await resolve(id);
    for (const { seen } of [here, there]) {
      await expect.poll(() => told(seen, id)).toEqual(['opened', 'acknowledged', 'resolved']);
      const last = incidentsIn(seen).at(-1)?.incident;
      const { data } = (await api.ask('GET', '/api/v1/incidents?limit=1')).json as { data: Incident[] };
      expect(last).toEqual(data[0]);
      expect(isDocumented('Incident', last)).toBe(true);
    }
    const elsewhere = await openIncident(blog);
    await expect.poll(() => told(ofBlog.seen, elsewhere)).toEqual(['opened']);
    expect(told(ofBlog.seen, id)).toEqual([]);
    expect(incidentsIn(minutesAlone.seen)).toEqual([]);
  });

  it('goes on after the last event that was seen, also with another process', async () => {
    const first = await measure(blog, 1);
    const { seen, close } = await follow();
    const before = await openIncident();
    await expect.poll(() => told(seen, before)).toEqual(['opened']);
    close();
    const missed = await openIncident(blog);
    await acknowledge(missed);
    await pumpRollups({ settled: true });
    const after = `${first - 1}-${seen.lastId.split('-')[1]}`;
    for (const server of [api.server, other]) {
      const again = await follow({ after, server });
      // As it happened just before, the look that goes on may find it, too.
      const once = () => [...new Set(told(again.seen, missed))];
      await expect.poll(once).toEqual(['opened', 'acknowledged']);
      const minutes = again.seen.events.flatMap(({ name, data }) => (name === 'minute' ? [data as MinuteEvent] : []));
      expect(minutes.flatMap(({ targets }) => targets.filter((id) => id === blog))).toEqual([blog]);
      const next = await openIncident();
      await expect.poll(() => told(again.seen, next)).toEqual(['opened']);
      expect(once()).toEqual(['opened', 'acknowledged']);
      expect(again.seen.events.some(({ name }) => name === 'gap')).toBe(false);
    }
  });

  it('says so where an event is too long ago, or none', async () => {
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const hours = (n: number) => Date.now() - n * 3_600_000;
    const old = hours(1.01);
    const cases = [
      [`${minute}-${old}`, new Date(old).toISOString()],
      ['nonsense', null],
      [`${minute}-${hours(-1)}`, expect.any(String)],
      [`${minute}-999999999999999`, expect.any(String)],
    ] as const;
    for (const [after, from] of cases) {
      const { seen } = await follow({ after });
      expect(seen.events.map(({ name }) => name)[0]).toBe('gap');
      const gap = seen.events[0]?.data as GapEvent;
      expect(gap.from).toEqual(from);
      expect(Math.abs(Date.parse(gap.to) - Date.now())).toBeLessThan(MINUTE_MS);
    }
    const { seen } = await follow({ after: `${minute}-${hours(0.99)}` });
    const id = await openIncident();
    await expect.poll(() => told(seen, id)).toEqual(['opened']);
    expect(seen.events.some(({ name }) => name === 'gap')).toBe(false);
  });

  it('is for who may read, and refuses what it does not know', async () => {
    expect((await fetch(`${api.server.baseUrl}/api/v1/events`)).status).toBe(401);
    expect((await follow({ key: 'rt_unknown' })).status).toBe(401);
    expect((await api.ask('GET', '/api/v1/events?types=minute,results')).status).toBe(400);
    expect((await api.ask('GET', '/api/v1/events?target=shop')).status).toBe(400);
  });

  it('says that it is there, and ends where its key is revoked', async () => {
    const { id, key } = await createKey({ name: 'for a while', scope: 'read' });
    const [kept, revoked] = [await follow(), await follow({ key })];
    await revokeKey(id);
    expect(await revoked.ended).toBeNull();
    await expect.poll(() => kept.seen.comments).toBeGreaterThan(0);
  });

  it(`is open at most ${MAX_STREAMS_A_CALLER} times for a key, whose place is free once it is gone`, async () => {
    for (const round of [1, 2]) {
      const all = await Promise.all(
        Array.from({ length: MAX_STREAMS_A_CALLER }, () => follow({ key: api.keys.write })),
      );
      expect(
        all.map(({ status }) => status),
        `round ${round}`,
      ).toEqual(all.map(() => 200));
      const more = await follow({ key: api.keys.write });
      expect([more.status, more.headers['retry-after']]).toEqual([429, '15']);
      expect((await follow({ key: api.keys.admin })).status).toBe(200);
      for (const { close } of opened) close();
      const isFree = async () => {
        const { status, close } = await follow({ key: api.keys.write });
        close();
        return status;
      };
      await expect.poll(isFree).toBe(200);
      await Promise.all(all.map(({ ended }) => ended));
    }
  });

  it(`is open at most ${MAX_STREAMS} times in a process, those of measurements counted`, async () => {
    const { json } = await api.ask('POST', '/api/v1/measurements', { body: { url: 'https://shop.example.org/' } });
    const path = `/api/v1/measurements/${(json as { id: string }).id}`;
    const keys = await Promise.all(
      Array.from({ length: MAX_STREAMS / MAX_STREAMS_A_CALLER + 1 }, (_, n) =>
        createKey({ name: `key ${n}`, scope: 'read' }),
      ),
    );
    const last = keys.pop()?.key ?? '';
    // What earlier tests left goes first.
    const filled = async () => {
      for (const { close } of opened) close();
      opened.clear();
      const all = await Promise.all(
        keys.flatMap(({ key }) => Array.from({ length: MAX_STREAMS_A_CALLER }, () => follow({ key }))),
      );
      return all.filter(({ status }) => status === 200).length;
    };
    await expect.poll(filled).toBe(MAX_STREAMS);
    expect((await follow({ key: last })).status).toBe(429);
    const headers = { authorization: `Bearer ${last}`, accept: 'text/event-stream' };
    expect((await fetch(api.server.baseUrl + path, { headers })).status).toBe(429);
    expect((await follow({ key: last, server: other })).status).toBe(200);
  });

  it(`cuts a reader off for whom ${MOST_WAITING} events wait, and no other`, async () => {
    const { seen } = await follow({ key: api.keys.admin });
    const { port, hostname } = new URL(api.server.baseUrl);
    const socket: Socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.keys.read}\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    const cut = new Promise((done) => socket.once('close', done).once('error', done));
    const events = MOST_WAITING * 2;
    await flood(events, 20_000);
    // Those who read have all of them.
    await expect.poll(() => incidentsIn(seen).length).toBe(events);
    socket.resume();
    await cut;
    expect(api.server.output()).not.toMatch(/error|failed/i);
    await getPool().query('delete from incident where group_key = $1', ['flood']);
  });

  it('ends in order as the process does', async () => {
    const { ended } = await follow({ server: other });
    const stopped = other.stop();
    expect(await ended).toBeNull();
    await stopped;
  });
});

/** Opens many incidents, each of so many bytes. */
async function flood(count: number, bytes: number): Promise<void> {
  const ids = Array.from({ length: count }, () => v7());
  await getPool().query(
    `insert into incident (id, kind, group_key, groups, status, severity, opened_at, onset_at, evidence)
      select id, 'threshold', 'flood', '{}', 'open', 'info', now(), now(), json_build_object('filler', repeat('x', $2)) from unnest($1::uuid[]) id`,
    [ids, bytes],
  );
  await getPool().query(
    `insert into incident_event (id, incident_id, at, kind) select unnest($1::uuid[]), unnest($2::uuid[]), now(), 'opened'`,
    [Array.from({ length: count }, () => v7()), ids],
  );
}
