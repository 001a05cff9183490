import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { describe, expect, vi } from 'vitest';
import type { Check } from '#contract/check.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { IngestClient } from '#workers/prober/client.ts';
import { EnrolmentError } from '#workers/prober/credential.ts';
import { AnswerSender } from '#workers/prober/measurements.ts';
import type { Prober } from '#workers/prober/prober.ts';
import { Spool } from '#workers/prober/spool.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { extent, isLong } from '../support/extent.ts';
import type { IngestServer } from '../support/ingest-server.ts';
import { end, moreProbes, contractTest as test, within } from '../support/prober-scene.ts';
import { rawServer } from '../support/probing.ts';
import { makeResult } from '../support/results.ts';
import { TEST_VANTAGE } from '../support/tls-target.ts';

// They wait for one another's turns of a second, and do so side by side.
vi.setConfig({ maxConcurrency: 12 });

/** Stops the prober and checks that every probe it ran is at the server, once. */
async function expectAllUploaded(server: IngestServer, prober: Prober): Promise<void> {
  await prober.stop();
  const { started, retaken, uploaded, duplicates, pendingBytes, faults } = prober.stats();
  expect(faults).toBe(0);
  expect(server.results.size).toBe(started + retaken);
  expect(uploaded + duplicates).toBeGreaterThanOrEqual(started + retaken);
  expect(pendingBytes).toBe(0);
}

describe.concurrent('the prober', () => {
  test('sends answers of many measurements one after the other, without the pause between two of the same', async ({
    scene: { bench, server },
  }) => {
    const halt = new AbortController();
    const client = new IngestClient({ server: server.url, signal: halt.signal });
    const sender = new AnswerSender({ client, credential: server.credential, logger: bench.logger });
    for (let n = 0; n < 60; n++) sender.add({ measurementId: v7(), line: '{}' });
    const begin = performance.now();
    const running = sender.run(halt.signal);
    await server.until(() => server.answered === 60);
    // With a pause of 200 ms after each it takes 12 s.
    expect(performance.now() - begin).toBeLessThan(6_000);
    halt.abort();
    await running;
    expect(server.faults).toEqual([]);
  });

  test('answers each of many measurements that come at once', async ({ scene: { bench, server, target } }) => {
    const { url, vantage, demo, timeoutMs, settings, allowPrivate } = target.check();
    await bench.start();
    await server.until(() => server.polls.length > 0);
    server.hand(
      Array.from({ length: 60 }, () => ({
        measurementId: v7(),
        url,
        vantage,
        demo,
        timeoutMs,
        settings,
        allowPrivate,
      })),
    );
    await server.until(() => server.answered === 60);
    expect(server.faults).toEqual([]);
  });

  test('enrols with the token, measures what it is assigned and uploads the results', async ({
    scene: { bench, server, target },
  }) => {
    const check = target.check();
    server.put(check);
    const prober = await bench.start();
    // On a busy machine the first probes may be over their 0.7 s.
    const measured = () => [...server.results.values()].find(({ ok }) => ok);
    await server.until(() => measured() !== undefined && server.results.size >= 2);
    const result = measured();
    expect(result).toMatchObject({ ok: true, failure: null, targetId: check.targetId, vantage: TEST_VANTAGE });
    expect(result?.tls?.certificate?.verified).toBe(true);
    expect(statSync(join(bench.dataDir, 'credential.json')).mode & 0o777).toBe(0o600);
    expect(Math.abs(prober.stats().clockSkewMs ?? Number.NaN)).toBeLessThan(1_000);
    await expectAllUploaded(server, prober);
  });

  test.runIf(isLong)(
    'keeps its credential over a restart, the same token given or none',
    async ({ scene: { bench, server, target } }) => {
      server.put(target.check());
      await (await bench.start()).stop();
      await (await bench.start()).stop();
      await bench.start({ token: undefined });
      await server.until(() => server.results.size >= 1);
      expect(server.enrolments).toBe(1);
    },
  );

  test('says what to do about a token that the server refuses, and about none', async ({ scene: { bench } }) => {
    await expect(bench.start({ token: 'rte_never-made' })).rejects.toThrow(
      /refuses the enrolment token .* make a new one/,
    );
    await expect(bench.start({ token: undefined })).rejects.toThrow(EnrolmentError);
  });

  test('waits for a server that is away at its first start', async ({ scene: { bench, server } }) => {
    await server.close();
    const starting = bench.start();
    await vi.waitFor(() => expect(bench.log.join()).toContain('cannot enrol yet'), within);
    await server.open();
    await starting;
    expect(server.enrolments).toBe(1);
  });

  test('takes up checks that are added and drops those that are removed, by the delta alone', async ({
    scene: { bench, server, target },
  }) => {
    const first = target.check();
    const second = target.check();
    server.put(first);
    const prober = await bench.start();
    server.put(second);
    await server.until(() => [...server.results.values()].some(({ targetId }) => targetId === second.targetId));
    server.remove(first.id);
    await vi.waitFor(() => expect(prober.stats().checks).toBe(1), within);
    expect(server.polls.filter((since) => since === null)).toHaveLength(1);
    await expectAllUploaded(server, prober);
  });

  test('measures on while the server is away and loses nothing', async ({ scene: { bench, server, target } }) => {
    server.put(target.check());
    const prober = await bench.start();
    await server.until(() => server.results.size >= 1);
    await server.close();
    await moreProbes(prober, 3);
    await server.open();
    await server.until(() => server.results.size >= 4);
    await expectAllUploaded(server, prober);
    expect(bench.log.join()).toContain('the server takes results again');
  });

  test.runIf(isLong)(
    'measures from the assignments on disk when it starts while the server is away',
    async ({ scene: { bench, server, target } }) => {
      server.put(target.check());
      await (await bench.start()).stop();
      const before = server.results.size;
      await server.close();
      const prober = await bench.start();
      await moreProbes(prober, 2);
      await server.open();
      await server.until(() => server.results.size >= before + 2);
    },
  );

  test.runIf(isLong)(
    'halves a batch that is too large for the server',
    async ({ scene: { bench, server, target } }) => {
      for (let count = 0; count < 4; count += 1) server.put(target.check());
      server.refuse = () => ({ status: 503 });
      const prober = await bench.start();
      await moreProbes(prober, 8);
      server.refuse = (results) => (results.length > 2 ? { status: 413 } : null);
      await server.until(() => server.results.size >= 8);
      expect(server.batches.some(({ ids }) => ids.length > 2)).toBe(true);
      await expectAllUploaded(server, prober);
    },
  );

  test('puts a result that is rejected into the quarantine with the reason, and keeps the others', async ({
    scene: { bench, server, target },
  }) => {
    const good = target.check();
    const bad = target.check();
    server.put(good);
    server.put(bad);
    server.reject = ({ targetId }) => targetId === bad.targetId;
    const prober = await bench.start();
    await vi.waitFor(() => expect(prober.stats().rejected).toBeGreaterThan(1), within);
    await server.until(() => server.results.size > 1);
    await server.until(() => (server.reports.at(-1)?.quarantined ?? 0) > 0);
    await prober.stop();
    const sent = server.batches.flatMap(({ ids }) => ids);
    expect(new Set(sent).size).toBe(sent.length);
    expect([...server.results.values()].every(({ targetId }) => targetId === good.targetId)).toBe(true);
    expect(bench.log.join('\n')).toMatch(/the server rejects result [0-9a-f-]{36}, .*: startedAt: is too old/);
    const { rejected, quarantined, pendingBytes } = prober.stats();
    expect({ quarantined, pendingBytes }).toEqual({ quarantined: rejected, pendingBytes: 0 });
    const kept = bench.quarantine();
    expect(kept.map(({ result }) => result.targetId)).toEqual(Array(rejected).fill(bad.targetId));
    expect(kept[0]).toMatchObject({ field: 'startedAt', reason: 'is too old' });
    expect(server.reports.at(-1)?.quarantined).toBeGreaterThan(0);
    expect(server.reports.reduce((sum, report) => sum + (report.rejected ?? 0), 0)).toBeGreaterThan(0);
  });

  test('keeps results that are rejected for their time, holds nothing up with them and sends them again', async ({
    scene: { bench, server, target },
  }) => {
    const good = target.check();
    const early = target.check();
    server.put(good);
    server.put(early);
    server.rejectTime = ({ targetId }) => targetId === early.targetId;
    const prober = await bench.start({ retryEveryMs: 300 });
    const rejectedTwice = () => {
      const sent = server.batches.flatMap(({ ids }) => ids).filter((id) => !server.results.has(id));
      return new Set(sent).size > 1 && sent.length > 2 * new Set(sent).size;
    };
    await server.until(rejectedTwice);
    await server.until(() => server.results.size > 1); // the others come through meanwhile
    expect(prober.stats()).toMatchObject({ rejected: 0, quarantined: 0 });
    server.rejectTime = () => false;
    await server.until(() => [...server.results.values()].some(({ targetId }) => targetId === early.targetId));
    await vi.waitFor(() => expect(prober.stats().waitingBytes).toBe(0), within);
    await expectAllUploaded(server, prober);
  });

  test.runIf(isLong)(
    'sends a result that is to come later for another reason under its own time',
    async ({ scene: { bench, server, target } }) => {
      const sent = makeResult({
        targetId: target.check().targetId,
        vantage: TEST_VANTAGE,
        startedAt: Date.now() - 10_800_000,
      });
      const spool = new Spool({ directory: join(bench.dataDir, 'spool') });
      spool.append(JSON.stringify(sent));
      await spool.close();
      server.clockAheadMs = -7_200_000;
      server.refuse = (results) => {
        const rejected = results.map((_, index) => ({
          index,
          id: sent.id,
          field: null,
          message: 'later',
          retry: true,
        }));
        return rejected.length > 0 ? { status: 200, body: { accepted: 0, duplicates: 0, rejected } } : null;
      };
      const prober = await bench.start({ retryEveryMs: 500 });
      await vi.waitFor(() => expect(prober.stats().retried).toBeGreaterThan(0), within);
      server.refuse = () => null;
      await server.until(() => server.results.has(sent.id));
      expect(server.results.get(sent.id)).toEqual(sent);
    },
  );

  test.runIf(isLong)(
    'brings a result that was rejected for its time for a day to the quarantine',
    async ({ scene: { bench, server, target } }) => {
      const check = target.check();
      const sent = makeResult({ targetId: check.targetId, vantage: TEST_VANTAGE, startedAt: Date.now() });
      const since = Date.now() - 86_400_000;
      const waiting = new Spool({ directory: join(bench.dataDir, 'waiting') });
      waiting.append(`{"@waits":${since},${JSON.stringify(sent).slice(1)}`);
      await waiting.close();
      server.rejectTime = () => true;
      const prober = await bench.start();
      await vi.waitFor(() => expect(prober.stats()).toMatchObject({ rejected: 1, quarantined: 1 }), within);
      await prober.stop();
      expect(prober.stats()).toMatchObject({ pendingBytes: 0, waitingBytes: 0 });
      expect(bench.quarantine()).toMatchObject([{ reason: 'is too old', result: sent }]);
    },
  );

  test.runIf(isLong)(
    'puts the one result for which a whole batch is refused into the quarantine',
    async ({ scene: { bench, server, target } }) => {
      const good = target.check();
      const bad = target.check();
      server.put(good);
      server.put(bad);
      server.refuse = (results) =>
        JSON.stringify(results).includes(bad.targetId) ? { status: 400, body: { detail: 'malformed' } } : null;
      const prober = await bench.start();
      await vi.waitFor(() => expect(prober.stats().rejected).toBeGreaterThan(0), within);
      await server.until(() => server.results.size > 1);
      expect(bench.log.join('\n')).toContain('goes to the quarantine: status 400 (malformed)');
      await prober.stop();
      expect(bench.quarantine().map(({ result, reason }) => [result.targetId, reason])).toContainEqual([
        bad.targetId,
        'status 400 (malformed)',
      ]);
    },
  );

  const ASIDE: [string, { status: number; headers?: Record<string, string> }][] = [
    ['something on the way finds it too large', { status: 413, headers: { 'content-type': 'text/html' } }],
    ['the server fails at it', { status: 500 }],
  ];
  test.for(ASIDE.slice(0, extent(1, 2)))(
    'sets one result aside that does not get through because %s, and goes on with the others',
    async ([_, answer], { scene: { bench, server, target } }) => {
      const good = target.check();
      const bad = target.check();
      server.put(good);
      server.put(bad);
      server.refuse = (results) => (JSON.stringify(results).includes(bad.targetId) ? answer : null);
      const prober = await bench.start({ retryEveryMs: 3_000 });
      await vi.waitFor(() => expect(prober.stats().waitingBytes).toBeGreaterThan(0), within);
      const stored = server.results.size;
      await server.until(() => server.results.size > stored + 1);
      server.refuse = () => null;
      await server.until(() => [...server.results.values()].some(({ targetId }) => targetId === bad.targetId));
      await vi.waitFor(() => expect(prober.stats().waitingBytes).toBe(0), within);
      expect(bench.log.join('\n')).toContain('a result does not get through, it waits apart from the others');
      await expectAllUploaded(server, prober);
      expect(prober.stats()).toMatchObject({ rejected: 0, quarantined: 0 });
    },
  );

  test.runIf(isLong)('blames no result where none gets through', async ({ scene: { bench, server, target } }) => {
    for (let count = 0; count < 20; count += 1) server.put(target.check());
    server.refuse = (results) => (results.length > 0 ? { status: 400 } : null);
    const prober = await bench.start();
    await vi.waitFor(() => expect(bench.log.join('\n')).toContain('the server takes no results, keeping them'), within);
    const { batches } = server;
    await server.until(() => batches.length > 20 || batches.slice(-2).every(({ ids }) => ids.length === 1));
    await moreProbes(prober, 20);
    expect(prober.stats().quarantined).toBe(8);
    server.refuse = () => null;
    await server.until(() => server.results.size > 20);
    await prober.stop();
    expect(server.results.size).toBe(prober.stats().started + prober.stats().retaken - 8);
  });

  test.runIf(isLong)(
    'brings results while the assignments fail, and learns the time from its reports',
    async ({ scene: { bench, server, target } }) => {
      server.put(target.check());
      await (await bench.start()).stop();
      const before = server.results.size;
      server.failsPolls = true;
      server.clockAheadMs = 7_200_000;
      await bench.start();
      await server.until(() => server.results.size > before + 1);
      const offsets = [...server.results.values()].slice(before).map((result) => result.prober.clockOffsetMs ?? 0);
      for (const offset of offsets) expect(Math.abs(offset + 7_200_000)).toBeLessThan(2_000);
    },
  );

  test.runIf(isLong)(
    'is not hurried by an answer that asks for no wait',
    async ({ scene: { bench, server, target } }) => {
      server.put(target.check());
      server.refuse = () => ({ status: 503, headers: { 'retry-after': '0' } });
      await bench.start();
      await server.until(() => server.batches.length >= 4);
      const [first, , , fourth] = server.batches;
      expect((fourth?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_700);
    },
  );

  test('waits as long as the server asks', async ({ scene: { bench, server, target } }) => {
    server.put(target.check());
    server.refuse = () => ({ status: 429, headers: { 'retry-after': '2' } });
    await bench.start();
    await server.until(() => server.batches.length >= 2);
    const [first, second] = server.batches;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_950);
  });

  test('measures on while its credential is refused, says so, and brings all when it is taken again', async ({
    scene: { bench, server, target },
  }) => {
    server.put(target.check());
    const prober = await bench.start({ askAgainMs: 200 });
    await server.until(() => server.results.size >= 1);
    server.revoked = true;
    await vi.waitFor(
      () => expect(bench.log.join('\n')).toMatch(/does not know .* credential .* vantage may have been deleted/),
      within,
    );
    await moreProbes(prober, 3);
    const before = server.results.size;
    server.revoked = false;
    await server.until(() => server.results.size >= before + 3);
    await expectAllUploaded(server, prober);
    expect(bench.log.filter((line) => line.includes('does not know'))).toHaveLength(1);
    expect(bench.log.join('\n')).toContain("knows this prober's credential again");
  });

  test.runIf(isLong)(
    'starts and measures with a credential that is refused, and ends with a sentence after its time',
    async ({ scene: { bench, server, target } }) => {
      server.put(target.check());
      await (await bench.start()).stop();
      server.revoked = true;
      const prober = await bench.start({ askAgainMs: 50, giveUpAfterMs: 1_500 });
      await moreProbes(prober, 1);
      expect(await prober.ended).toMatch(
        /no longer knows this prober's credential .* enrol it again .* results are kept/,
      );
      expect(prober.stats().inFlight).toBe(0);
      expect(prober.stats().pendingBytes).toBeGreaterThan(0);
    },
  );

  // A server that was taken over calls every address allowed, and every target a demo's.
  test('contacts no private address that its own list lacks, whatever the server says of it', async ({
    scene: { bench, server, target },
  }) => {
    const dns = await startDnsServer({ 'inside.example': ['127.0.0.1'], 'mapped.example': ['::ffff:127.0.0.1'] });
    const own = target.check();
    const { port } = new URL(own.url);
    const closed = await rawServer(() => {});
    await closed.close();
    const through = (fields: Partial<ProbeSettings>) => ({ settings: { ...own.settings, ...fields } });
    const attacks: [string, Partial<Check>][] = [
      ['open port', { demo: true }],
      ['closed port', { url: `https://127.0.0.1:${closed.port}/` }],
      ['name', { url: `https://localhost:${port}/` }],
      ['IPv4-mapped', { url: `https://[::ffff:127.0.0.1]:${port}/` }],
      ['NAT64', { url: `https://[64:ff9b::7f00:1]:${port}/` }],
      ['6to4', { url: `https://[2002:7f00:1::]:${port}/` }],
      ['unspecified', { url: `https://0.0.0.0:${port}/` }],
      ['metadata', { url: 'https://169.254.169.254/' }],
      ['carrier-grade NAT', { url: 'https://100.64.0.1/' }],
      ['multicast', { url: 'https://224.0.0.1/' }],
      ['beside the list', { url: `https://127.0.0.1:${port}/` }],
      ['fixed address', { url: 'https://outside.example/', ...through({ address: '127.0.0.1' }) }],
      ['resolver', { url: 'https://inside.example/', ...through({ resolver: dns.resolver }) }],
    ];
    const checks = attacks.map(([, fields]) => target.check({ targetId: v7(), ...fields }));
    for (const check of checks) server.put(check);
    const prober = await bench.start({ allowPrivate: ['127.0.0.2/31', '192.168.0.0/16', '::1'] });
    const found = (check: Check) => [...server.results.values()].find(({ targetId }) => targetId === check.targetId);
    await server.until(() => checks.every(found));
    await prober.stop();
    const failures = checks.map((check) => found(check)?.failure);
    expect(failures.map((failure) => [failure?.reason, failure?.source])).toEqual(
      attacks.map(() => ['address_not_allowed', 'prober']),
    );
    for (const failure of failures) expect(failure?.message).toContain('--allow-private');
    // An open port and a closed one look alike.
    const [open, shut] = checks.map((check) => ({ ...found(check) }));
    for (const result of [open, shut]) expect(result).toMatchObject({ phases: { tcp: null }, tls: null, http: null });
    expect(open?.failure).toEqual(shut?.failure);
    expect(target.handshakes).toEqual([]);
    expect(dns.asked).toEqual([]);
    await dns.close();
  });

  test.runIf(isLong)(
    'reaches a private address where its list and the server agree, in threads as well',
    async ({ scene: { bench, server, target } }) => {
      const checks = [target.check({ targetId: v7() }), target.check({ targetId: v7(), allowPrivate: false })];
      for (const check of checks) server.put(check);
      const child = bench.spawn({ threads: 1 });
      const of = (check?: Check) => [...server.results.values()].filter(({ targetId }) => targetId === check?.targetId);
      await server.until(() => of(checks[0]).some(({ ok }) => ok) && of(checks[1]).length > 0);
      await end(child, 'SIGTERM');
      // The server's word: the name that points there is at fault.
      for (const { failure } of of(checks[1]))
        expect(failure).toMatchObject({ reason: 'address_not_allowed', source: 'target' });
    },
  );

  test('keeps secrets of targets in memory alone: after a restart they wait for the server', async ({
    scene: { bench, server, target },
  }) => {
    const secret = 'Bearer s3cret-of-a-target';
    const own = target.check();
    const request = {
      ...own.settings.request,
      headers: [{ name: 'Authorization', value: secret }],
      body: 's3cret body',
    };
    const plain = target.check({ targetId: v7() });
    const secretive = target.check({ targetId: v7(), settings: { ...own.settings, request } });
    for (const check of [plain, secretive]) server.put(check);
    const count = (check: Check) =>
      [...server.results.values()].filter(({ targetId, ok }) => ok && targetId === check.targetId).length;
    const first = await bench.start();
    await server.until(() => count(plain) > 0 && count(secretive) > 0);
    await first.stop();
    const files = readdirSync(bench.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.map(({ name }) => name)).toContain('assignments.json');
    for (const file of files) {
      expect(readFileSync(join(file.parentPath, file.name)).includes('s3cret')).toBe(false);
    }
    expect(bench.log.join('\n')).not.toContain('s3cret');
    // The server is away for what a prober asks, and then back.
    server.failsPolls = true;
    const [before, polls] = [{ plain: count(plain), secretive: count(secretive) }, server.polls.length];
    const second = await bench.start();
    expect(second.stats().checks).toBe(1);
    await server.until(() => count(plain) > before.plain);
    expect(count(secretive)).toBe(before.secretive);
    server.failsPolls = false;
    await server.until(() => count(secretive) > before.secretive);
    expect(server.polls.at(polls)).toBeNull();
    await second.stop();
  });

  test('keeps a second prober out of its folder', async ({ scene: { bench } }) => {
    const first = await bench.start();
    await expect(bench.start()).rejects.toThrow(/Another prober works in .* folder of its own/);
    await first.stop();
    await bench.start();
  });
});
