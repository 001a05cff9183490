import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { WEDNESDAY } from '../support/instants.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { ENTRY, roundtrip } from '../support/roundtrip.ts';
import { makeVantage } from '../support/vantages.ts';

// `roundtrip export --results`: all results of a day in one file, or no file.

const DAY_MS = 86_400_000;
const day = Math.floor(WEDNESDAY / DAY_MS) * DAY_MS;
const NAME = new Date(day).toISOString().slice(0, 10);

let folder: string;
/** The ids of the day's results, newest first. */
let ofDay: string[];
const api = prepareApi();
beforeAll(async () => {
  const vantage = makeVantage('CN-GD', 'telecom');
  await insertProber([vantage]);
  const [shop, other] = [await insertTarget({ name: 'shop' }), await insertTarget({ name: 'other' })];
  const at = (targetId: string, ms: number) => makeResult({ targetId, vantage, startedAt: day + ms });
  const within = [at(other, DAY_MS - 1), at(shop, DAY_MS / 2), at(other, DAY_MS / 4), at(shop, 0)];
  await insertResults([...within, at(shop, -1), at(other, DAY_MS)]);
  ofDay = within.map(({ id }) => id);
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-results-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const envFor = (server: string) => ({ ROUNDTRIP_SERVER: server, ROUNDTRIP_KEY: api.keys.read });
const run = (args: string[], server = api.server.baseUrl) =>
  roundtrip(['export', ...args], { env: envFor(server), cwd: folder });

const bytesOf = (file: string) => readFileSync(path.join(folder, file));

it('a page that something on the way answers with is no day', async () => {
  const proxy = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>Sign in</p>'));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const said = `${url} answered 200, which is no answer of a Roundtrip server.\n`;
  expect(await run(['--results', '--parquet', NAME], url)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(said),
  });
  expect(readdirSync(folder)).toEqual([]);
  proxy.close();
});

it('a day is a file with the results of all targets, from its first to its last millisecond', async () => {
  const file = `roundtrip-results-${NAME}.parquet`;
  const done = await run(['--results', '--parquet', NAME]);
  expect(done).toEqual({ status: 0, stderr: '', stdout: expect.stringMatching(`^${file}: \\d+ bytes\n$`) });
  expect(readdirSync(folder)).toEqual([file]);
  const { buffer } = new Uint8Array(bytesOf(file));
  expect(done.stdout).toContain(` ${buffer.byteLength} bytes`);
  expect((await parquetReadObjects({ file: buffer })).map(({ id }) => id)).toEqual(ofDay);
  await run([NAME, '--results', '--ndjson', '--out', 'lines']);
  const lines = bytesOf('lines').toString().trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(ofDay);
  await run(['--results', '--csv', NAME]);
  expect(bytesOf(`roundtrip-results-${NAME}.csv`).toString().trimEnd().split('\r\n')).toHaveLength(ofDay.length + 1);
});

/** A server that hands the first half of an answer on, and then breaks the connection or stays silent. */
async function halfway(then: 'breaks' | 'waits'): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    const whole = await (await fetch(`${api.server.baseUrl}${request.url}`, { headers: { authorization } })).bytes();
    response.write(whole.subarray(0, whole.length / 2), () => then === 'breaks' && response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}
const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

it('a download that breaks off leaves no file', async () => {
  const server = await halfway('breaks');
  const broken = await run(['--results', NAME], addressOf(server));
  server.close();
  expect(broken).toMatchObject({ status: 2, stdout: '' });
  expect(broken.stderr).toMatch(
    /^roundtrip: The download broke off \(.+\): roundtrip-results-.+\.parquet was not made\.\n$/,
  );
  expect(readdirSync(folder)).toEqual([]);
});

it('one that is ended by Ctrl-C leaves none either', async () => {
  const server = await halfway('waits');
  const env = { ...process.env, ...envFor(addressOf(server)) };
  const child = spawn(process.execPath, [ENTRY, 'export', '--results', NAME], { env, cwd: folder });
  const part = path.join(folder, `roundtrip-results-${NAME}.parquet.part`);
  await expect.poll(() => existsSync(part) && readFileSync(part).length).toBeGreaterThan(0);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
  server.closeAllConnections();
  server.close();
  expect(readdirSync(folder)).toEqual([]);
});

it('a day that is not over, what is no day and a file that is there are refused, with a sentence', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const refusals: [string[], RegExp][] = [
    [['--results', today], /The day is not over: it ends at \d{4}-\d\d-\d\dT00:00:00\.000Z\.\n$/],
    [['--results', '2026-02-30'], /It must be a day of UTC, such as 2026-11-28\.\n$/],
    [['--results'], /^roundtrip: --results needs a day of UTC, such as 2026-11-28\.\n$/],
    [[NAME], /^roundtrip: A day, its format and --out go with --results\.\n$/],
    [['--results', '--csv', '--ndjson', NAME], /'--csv' cannot be used with option '--ndjson'/],
    [['--results', NAME, '--out', 'here'], /^roundtrip: here exists already/],
  ];
  writeFileSync(path.join(folder, 'here'), 'kept');
  for (const [args, sentence] of refusals) {
    const { status, stderr } = await run(args);
    expect([status, stderr], args.join(' ')).toEqual([2, expect.stringMatching(sentence)]);
  }
  expect(readdirSync(folder)).toEqual(['here']);
  expect(bytesOf('here').toString()).toBe('kept');
});
