import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, WEB_BUILD } from '#cli/dist.mjs';
import type { EnrolResponse } from '#contract/ingest.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import type { Target } from '#contract/target.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { type ApiUnderTest, startApi } from '../support/api.ts';
import { asker } from '../support/openapi.ts';
import { type Pushed, type Receiver, startReceiver } from '../support/otlp-receiver.ts';
import { parseMetrics } from '../support/promlint.ts';
import { makeResult } from '../support/results.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// What a web process pushes to a real receiver, as it decodes it by the protocol's own description, beside what it is scraped for.

const INTERVAL_MS = 400;
/** The SDK gives an export up before the next is due, so that an outage is known at once. */
const SOON = { OTEL_METRIC_EXPORT_INTERVAL: String(INTERVAL_MS), OTEL_EXPORTER_OTLP_TIMEOUT: '300', LOG_LEVEL: 'info' };
const NEVER_MS = '99999999';

let receiver: Receiver;
let api: ApiUnderTest;
let target: Target;
let vantage: VantageRef;
let credential: string;
const startedAt = Date.now();

const endpoint = (): Record<string, string> => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
const another = (env: Record<string, string>): Promise<TestServer> =>
  startTestServer({ env: { ...endpoint(), ...SOON, ...env } });

beforeAll(async () => {
  receiver = await startReceiver();
  api = await startApi({
    ...endpoint(),
    ...SOON,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20secret,tenant=shop',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
  });
  target = (
    await api.ask('POST', '/api/v1/targets', { body: { name: '商店 "one"', url: 'https://shop.example.org/' } })
  ).json as Target;
  const place = { name: 'Sichuan', region: 'CN-SC', carrier: 'mobile' };
  const { token } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
  const enrolled = (await asker(api.server.baseUrl)('POST', '/api/ingest/enrol', { body: { token } }))
    .json as Required<EnrolResponse>;
  credential = enrolled.credential;
  [vantage] = enrolled.vantages as [VantageRef];
});
afterAll(async () => {
  await api.stop();
  await receiver.stop();
});

const result = (tls: number, firstByte: number, secondsAgo: number): StorableResult => {
  const made = makeResult({ targetId: target.id, vantage, startedAt: Date.now() - secondsAgo * 1_000, tls });
  return { ...made, phases: { ...made.phases, firstByte } };
};

async function ingest(results: StorableResult[], { baseUrl } = api.server): Promise<void> {
  const { json } = await asker(baseUrl, credential)('POST', '/api/ingest/results', { body: { results } });
  expect(json).toMatchObject({ accepted: results.length });
}

/** What was read after now, and pushed: the next push may have been read before. */
async function pushedFromNow(from: Receiver = receiver): Promise<Pushed> {
  await from.next();
  return await from.next();
}

const line = (name: string, labels: Iterable<[string, string]>) => `${name} ${JSON.stringify([...labels].sort())}`;

/** As a scrape names and counts it. */
function samplesOf({ metrics }: Pick<Pushed, 'metrics'>): Record<string, number> {
  const samples: [string, number][] = [];
  for (const [name, { points }] of metrics)
    for (const { attributes, value, histogram } of points) {
      const labels = Object.entries(attributes);
      if (!histogram) {
        samples.push([line(name, labels), value ?? Number.NaN]);
        continue;
      }
      let count = 0;
      for (const [index, bound] of [...histogram.bounds, '+Inf'].entries()) {
        count += histogram.counts[index] ?? Number.NaN;
        samples.push([line(`${name}_bucket`, [...labels, ['le', String(bound)]]), count]);
      }
      samples.push([line(`${name}_sum`, labels), histogram.sum], [line(`${name}_count`, labels), histogram.count]);
    }
  return Object.fromEntries(samples);
}

async function scraped({ baseUrl } = api.server): Promise<Record<string, number>> {
  const { text } = await asker(baseUrl, api.keys.read)('GET', '/metrics/probes');
  const samples = parseMetrics(text).flatMap((family) => family.samples);
  return Object.fromEntries(samples.map(({ name, labels, value }) => [line(name, labels), value]));
}

const tlsOf = ({ metrics }: Pushed) => metrics.get('roundtrip_probe_tls_seconds')?.points[0];

describe('figures that are pushed', () => {
  it('are those of /metrics/probes of the same moment: each gauge, bucket, count and sum', async () => {
    const before = await pushedFromNow();
    expect(samplesOf(before)).toEqual(await scraped());
    expect(tlsOf(before)?.histogram).toMatchObject({ count: 0, sum: 0 });
    await ingest([result(20, 6, 50), result(20.001, 3_000, 40), result(700, 61, 30)]);
    const after = await pushedFromNow();
    const samples = samplesOf(after);
    expect(samples).toEqual(await scraped());
    expect(Object.keys(samples).length).toBe(43);
    expect(tlsOf(after)?.histogram).toMatchObject({ count: 3, sum: expect.closeTo(0.740001, 9) });
  });

  it('tell what they are of, in which unit, since when and until when', async () => {
    const push = await pushedFromNow();
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(push.resource).toEqual({
      'service.name': 'roundtrip',
      'service.version': version,
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'deployment.environment.name': 'tests',
    });
    const place = { target: target.name, region: 'CN-SC', carrier: 'mobile', vantage: 'Sichuan' };
    const tls = tlsOf(push);
    expect(tls?.attributes).toEqual(place);
    expect(tls?.histogram?.temporality).toBe(2); // Cumulative.
    const [from, to] = [(tls?.startTime ?? 0) / 1e6, (tls?.time ?? 0) / 1e6];
    expect(from).toBeGreaterThanOrEqual(startedAt - 1);
    expect(from).toBeLessThan(to);
    expect(to).toBeLessThanOrEqual(push.at + 1);
    expect(tlsOf(await receiver.next())?.startTime).toBe(tls?.startTime);
    const gauge = (name: string) => push.metrics.get(name)?.points[0];
    expect(gauge('probe_success')).toMatchObject({ attributes: place, value: 1, startTime: 0, time: tls?.time });
    expect(gauge('probe_http_duration_seconds')?.attributes).toEqual({ ...place, phase: 'resolve' });
    const units = [...push.metrics].map(([name, { unit }]) => [name.endsWith('_seconds'), unit]);
    expect(units.every(([isSeconds, unit]) => unit === (isSeconds ? 's' : ''))).toBe(true);
  });

  it('are sent as the environment says: path, headers, compression and interval', async () => {
    const pushes = [await receiver.next(), await receiver.next()] as const;
    expect(pushes[0].path).toBe('/v1/metrics');
    expect(pushes[0].headers).toMatchObject({
      'api-key': 'a secret',
      tenant: 'shop',
      'content-encoding': 'gzip',
      'content-type': 'application/x-protobuf',
    });
    expect(pushes[1].at - pushes[0].at).toBeGreaterThan(INTERVAL_MS / 2);
  });
});

describe('with several web processes', () => {
  const instanceOf = (push: Pushed) => push.resource['service.instance.id'];
  const hasGauges = (push: Pushed) => push.metrics.has('probe_success');

  it('one pushes gauges, each the histograms of what it stored, and another takes over from one that stops', async () => {
    const first = instanceOf(await pushedFromNow());
    const second = await another({});
    const ofSecond = async (is: (push: Pushed) => boolean) => {
      for (;;) {
        const push = await receiver.next();
        if (instanceOf(push) !== first && is(push)) return push;
      }
    };
    try {
      expect(hasGauges(await ofSecond(() => true))).toBe(false);
      await ingest([result(40, 5, 20)], second);
      const counted = await ofSecond((push) => tlsOf(push)?.histogram?.count === 1);
      const own = await scraped(second);
      for (const [name, value] of Object.entries(samplesOf(counted))) expect([name, own[name]]).toEqual([name, value]);
      await api.server.stop();
      expect(hasGauges(await ofSecond(hasGauges))).toBe(true);
      expect(new Set(receiver.pushed.filter((push) => hasGauges(push)).map(instanceOf)).size).toBe(2);
    } finally {
      await second.stop();
    }
  });
});

describe('a process that is told to stop', () => {
  it('pushes what it has, and ends as one that pushes nothing', async () => {
    const server = await another({ OTEL_METRIC_EXPORT_INTERVAL: NEVER_MS });
    await ingest([result(30, 5, 15), result(30, 5, 10)], server);
    const last = receiver.next();
    expect(await server.stop()).toBe(143);
    expect(tlsOf(await last)?.histogram).toMatchObject({ count: 2, sum: 0.06 });
  });

  it('does not wait for a collector that says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_TIMEOUT: '600000' };
    const server = await another({ ...env, OTEL_METRIC_EXPORT_INTERVAL: NEVER_MS });
    const asked = once(silent, 'connection');
    const stopped = server.stop();
    const [socket] = await asked;
    expect(await stopped).toBe(143);
    socket.destroy();
    silent.close();
  });
});

describe('the SDK', () => {
  const chunks = path.join(WEB_BUILD, '.next/server/chunks');
  const hasSdk = (file: string) => readFileSync(path.join(chunks, file), 'utf8').includes('ExportingMetricReader');

  /** Whether a process with this environment has loaded it, by what V8 says of its scripts. */
  async function isLoaded(env: Record<string, string>): Promise<boolean> {
    const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-otlp-'));
    const server = await another({ ...env, NODE_V8_COVERAGE: folder });
    await server.stop();
    const scripts = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
    rmSync(folder, { recursive: true });
    expect(scripts.join()).toContain('/.next/server/chunks/');
    const ofSdk = readdirSync(chunks).filter((file) => file.endsWith('.js') && hasSdk(file));
    expect(ofSdk.length).toBeGreaterThan(0);
    return ofSdk.some((file) => scripts.join().includes(encodeURI(file)));
  }

  it('is loaded where there is an endpoint, and else takes no memory', async () => {
    expect(await isLoaded({})).toBe(true);
    expect(await isLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBe(false);
  });
});

describe('a collector that is away', () => {
  it('is logged once, harms nothing, and is told all when it is back', async () => {
    const away = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(away, 'listening');
    const { port } = away.address() as { port: number };
    const server = await another({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    let back: Receiver | null = null;
    try {
      for (let tries = 0; tries < 3; tries++) await once(away, 'connection');
      await ingest([result(50, 5, 12), result(50, 5, 8)], server);
      const failures = () => server.output().match(/figures cannot be pushed to the collector/g)?.length ?? 0;
      await expect.poll(failures).toBe(1);
      for (let tries = 0; tries < 3; tries++) await once(away, 'connection');
      away.close();
      await once(away, 'close');
      back = await startReceiver(port);
      const push = await pushedFromNow(back);
      expect(tlsOf(push)?.histogram).toMatchObject({ count: 2, sum: 0.1 });
      expect(samplesOf(push)).toEqual(await scraped(server));
      await expect.poll(server.output).toContain('no longer: figures cannot be pushed');
      expect(server.output().match(/figures cannot be pushed/g)).toHaveLength(2);
      expect(server.output()).not.toContain('secret');
    } finally {
      await server.stop();
      await back?.stop();
    }
  });
});
