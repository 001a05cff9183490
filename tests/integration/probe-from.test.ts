import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, vi } from 'vitest';
import { Measurement } from '#contract/measurement.ts';
import { createKey } from '#server/access/keys.ts';
import { getPool } from '#server/database/database.ts';
import { getMeasurement } from '#server/measurements/read.ts';
import { insertProber } from '../support/places.ts';
import { prepareRoutes, routesTest, within } from '../support/prober-scene.ts';
import { freePort } from '../support/process.ts';
import { makeVantage } from '../support/vantages.ts';

// `roundtrip probe --from` as a process: against the server's own routes, a real prober and a real TLS server.

prepareRoutes();

const ENTRY = path.join(import.meta.dirname, '../../cli/roundtrip.mjs');

const writeKey = async () => (await createKey({ name: 'ci', scope: 'write' })).key;
const begin = (env: Record<string, string>, ...args: string[]): ChildProcess =>
  spawn(process.execPath, [ENTRY, 'probe', ...args], { env: { ...process.env, ...env } });

async function ended(child: ChildProcess) {
  const [stdout, stderr, status] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    new Promise<number | null>((settle) => child.once('close', settle)),
  ]);
  return { stdout, stderr, status };
}
/** The tests share a database, in which `all` means what the test has made. */
const forgetAfterwards = (proberId: string) =>
  onTestFinished(async () => void (await getPool().query('delete from vantage where prober_id = $1', [proberId])));

const rowsOf = (stdout: string) => stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));

routesTest('a row for each answer, then one for each carrier', async ({ scene }) => {
  const { bench, proxy, target } = scene;
  await bench.start();
  await getPool().query('update prober set last_seen_at = now()');
  const far = makeVantage('CN-GD', 'unicom');
  forgetAfterwards(await insertProber([far]));
  // The first stream breaks: it is taken up again.
  let broken = 0;
  proxy.fault = ({ method, path: at }) => {
    if (method !== 'GET' || !at.startsWith('/api/v1/measurements/') || broken > 0) return null;
    broken += 1;
    return { kind: 'hangUp' };
  };
  const { url } = target.check();
  const folder = await mkdtemp(path.join(tmpdir(), 'probe-from-'));
  const keyFile = path.join(folder, 'key');
  await writeFile(keyFile, `${await writeKey()}\n`);
  const given = [url, '--from', 'CN-GD,telecom,unicom', '--server', proxy.url, '--key-file', keyFile];
  const { stdout, stderr, status } = await ended(begin({}, ...given));
  expect([stderr, status, broken]).toEqual(['', 1, 1]);
  const rows = rowsOf(stdout);
  expect(rows[0]?.[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/probe\/[0-9a-f-]{36}$/);
  expect(rows[1]?.slice(0, 4)).toEqual(['region', 'carrier', 'vantage', 'state']);
  const row = (...start: string[]) => rows.find((cells) => start.every((cell, index) => cells[index] === cell));
  const good = row('CN-GD', 'telecom', 'the test machine', 'ok');
  expect(good?.slice(5, 9).every((cell) => /^\d+\.\d$/.test(cell))).toBe(true);
  expect(good).toContain('200');
  expect(row('CN-GD', 'unicom', 'CN-GD unicom', 'FAILED')?.at(-1)).toBe('prober_away: its prober is away');
  expect(row('carrier')?.slice(1)).toEqual([
    ...['answered', 'dns ms', 'connect', 'tls', 'first byte', 'trips', 'due', 'failed'],
  ]);
  expect(row('telecom')?.[1]).toBe('1 of 1');
  expect(row('unicom', '0 of 1')?.at(-1)).toBe('prober_away 1');
  await rm(folder, { recursive: true });
});

routesTest('one JSON document, with settings and a condition of its own', async ({ scene }) => {
  const { bench, server, target } = scene;
  await bench.start();
  const { url } = target.check();
  const env = { ROUNDTRIP_KEY: await writeKey(), ROUNDTRIP_SERVER: server };
  const json = ['--json', '--fail-if', 'tls>0'];
  const known = await ended(begin(env, url, '--from', 'all', ...json));
  expect([known.stderr.includes('fail-if tls>0'), known.status]).toEqual([true, 3]);
  const document = JSON.parse(known.stdout);
  const measured = Measurement.parse(document);
  expect(measured).toMatchObject({ url, finished: true, counts: { total: 1, done: 1 } });
  const [result] = measured.vantages.map((each) => each.result);
  expect(document.carriers).toEqual([
    {
      carrier: 'telecom',
      vantages: 1,
      succeeded: 1,
      medianMs: {
        dns: result?.phases.dns,
        tcp: result?.phases.tcp,
        tls: result?.phases.tls,
        firstByte: result?.phases.firstByte,
      },
      roundTrips: { took: expect.toBeOneOf([expect.any(Number), null]), expected: expect.any(Number) },
      failures: {},
    },
  ]);
  // With settings of its own the target's roots are not used.
  const other = await ended(begin(env, url, '--from', 'CN,telecom', '--tls', '1.2', '--no-http', '--json'));
  expect(other.status).toBe(1);
  expect(JSON.parse(other.stdout)).toMatchObject({
    settings: { tlsVersion: '1.2', http: false, caPem: null },
    carriers: [{ succeeded: 0, failures: { cert_untrusted: 1 } }],
  });
});

routesTest('rows come as vantages answer, and Ctrl-C cancels the others', async ({ scene }) => {
  const { bench, server, target } = scene;
  await bench.start();
  const slow = makeVantage('CN-GD', 'unicom');
  forgetAfterwards(await insertProber([slow]));
  await getPool().query('update prober set last_seen_at = now()');
  const { url } = target.check();
  const env = { ROUNDTRIP_KEY: await writeKey(), ROUNDTRIP_SERVER: server };
  const child = begin(env, url, '--from', 'CN-GD,telecom', '--from', 'CN-GD,unicom');
  let seen = '';
  child.stdout?.on('data', (piece) => {
    seen += piece;
  });
  const end = ended(child);
  await vi.waitFor(() => expect(seen).toMatch(/CN-GD +telecom .* ok /), within);
  child.kill('SIGINT');
  const { status, stdout } = await end;
  expect(status).toBe(130);
  expect(stdout).toMatch(/unicom .*cancelled: before it answered/);
  expect(stdout).toMatch(/unicom +0 of 1 .*cancelled 1/);
  const [, id = ''] = /probe\/([0-9a-f-]{36})/.exec(stdout) ?? [];
  expect((await getMeasurement(id, 'editor')).cancelledAt).not.toBeNull();
});

routesTest('what the server refuses is said in words, without the key', async ({ scene }) => {
  const { server } = scene;
  await scene.bench.start();
  const key = await writeKey();
  const { key: reader } = await createKey({ name: 'r', scope: 'read' });
  const refused = async (env: Record<string, string>, ...args: string[]) => {
    const { status, stdout, stderr } = await ended(begin(env, 'a.example', ...args));
    expect([status, stdout]).toEqual([2, '']);
    for (const secret of [key, reader, 'qq']) expect(stderr).not.toContain(secret);
    return stderr;
  };
  const from = (places: string) => ['--from', places, '--server', server];
  expect(await refused({ ROUNDTRIP_KEY: key }, ...from('CN-GD,CN-XJ,telecom'))).toMatch(
    /^roundtrip: The server refuses: --from CN-XJ,telecom selects no vantage/,
  );
  expect(await refused({ ROUNDTRIP_KEY: reader }, ...from('all'))).toMatch(/write/);
  expect(await refused({ ROUNDTRIP_KEY: 'rt_unknown' }, ...from('all'))).toMatch(/The server refuses: /);
  expect(await refused({ ROUNDTRIP_KEY: 'qq\nqq' }, ...from('all'))).toMatch(/ROUNDTRIP_KEY is no API key/);
  expect(await refused({ ROUNDTRIP_KEY: '' }, ...from('all'))).toMatch(/ROUNDTRIP_KEY \(or --key-file\) is missing/);
  const gone = `http://127.0.0.1:${await freePort()}`;
  expect(await refused({ ROUNDTRIP_KEY: key }, '--from', 'all', '--server', gone)).toMatch(
    /The server cannot be reached: .*ECONNREFUSED/,
  );
});
