import path from 'node:path';
import { parseArgs } from 'node:util';
import { WEB_BUILD } from '#cli/dist.mjs';
import type { VantageRef } from '#contract/result.ts';
import { createKey } from '#server/access/keys.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { startTestServer } from '../support/server.ts';
import { mainlandVantages } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';
import { usageOf } from './processes.ts';
import { enrol } from './steady.ts';

const TARGETS = 50;
const MINUTES = 10;
/** Requests of each kind to each build; the builds and the kinds take turns, so that what else the machine does falls on all alike. */
const ROUNDS = 200;
/** Of which so many at the beginning are not counted. */
const WARM_UP = 20;
const RESULTS_A_BATCH = 20;

type Build = { name: string; url: string; pid: number; stop: () => Promise<unknown> };
type Asking = { name: string; ask: (url: string) => Promise<Response> };

/**
 * `api [--beside FOLDER]`: p50 and p95 of ten operations of the API and of a batch of 20 results, one after the other over one connection,
 * with 50 targets and 93 vantages; how long a web process takes to its first answer, and its memory before and after. With
 * `--beside`, the same of another build, in turn: FOLDER has its `server.js`.
 */
export async function benchApi(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { beside: { type: 'string' } } });
  await onFreshDatabase(async () => {
    const vantages = mainlandVantages();
    const credential = await enrol(vantages);
    const targets: string[] = [];
    for (let n = 0; n < TARGETS; n++) targets.push(await insertTarget({ name: `shop ${n}` }));
    await assignAll(vantages);
    await fill(targets, vantages);
    const { key } = await createKey({ name: 'bench', scope: 'admin' });
    const folders = [WEB_BUILD, ...(values.beside ? [path.resolve(values.beside)] : [])];
    const builds: Build[] = [];
    try {
      for (const folder of folders) builds.push(await startBuild(folder));
      const askings = askingsOf({ key, credential, targets, vantages });
      await report(builds, askings);
      for (const { name, pid } of builds) print(name, 'memory at the end', `${usageOf(pid).memoryMb.toFixed(0)} MB`);
    } finally {
      await Promise.all(builds.map((build) => build.stop()));
    }
  });
}

async function fill(targets: string[], vantages: VantageRef[]): Promise<void> {
  const begin = Math.floor(Date.now() / 60_000 - MINUTES) * 60_000;
  for (let minute = 0; minute < MINUTES; minute++)
    await insertResults(
      targets.flatMap((targetId, n) =>
        vantages.map((vantage) => makeResult({ targetId, vantage, startedAt: begin + minute * 60_000 + n })),
      ),
    );
  await drainRollups({ settled: true });
}

/** A web process of the build in this folder. Prints how long it takes to its first answer, and its memory then. */
async function startBuild(folder: string): Promise<Build> {
  const began = performance.now();
  const env = { ROUNDTRIP_RATE_LIMIT: '9999999' };
  const server = await startTestServer({ databaseUrl: process.env.DATABASE_URL ?? '', env, folder });
  const name = folder === WEB_BUILD ? 'this build' : 'the other build';
  print(name, 'first answer after the start', `${(performance.now() - began).toFixed(0)} ms`);
  const pid = server.pid ?? 0;
  print(name, 'memory after it', `${usageOf(pid).memoryMb.toFixed(0)} MB`);
  return { name, url: server.baseUrl, pid, stop: server.stop };
}

type Scene = { key: string; credential: string; targets: string[]; vantages: VantageRef[] };

function askingsOf({ key, credential, targets, vantages }: Scene): Asking[] {
  const [target = ''] = targets;
  const get = (path: string): Asking => ({
    name: `GET ${path.replace(target, '{id}')}`,
    ask: (url) => fetch(url + path, { headers: { authorization: `Bearer ${key}` } }),
  });
  const batch = () => {
    const startedAt = Date.now() - 5_000 - Math.floor(Math.random() * 50_000);
    const of = (vantage: VantageRef) => makeResult({ targetId: target, vantage, startedAt });
    return JSON.stringify({ results: vantages.slice(0, RESULTS_A_BATCH).map(of) });
  };
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  return [
    get('/api/health'),
    get('/api/v1/targets'),
    get(`/api/v1/targets/${target}`),
    get('/api/v1/vantages'),
    get('/api/v1/results?limit=50'),
    get(`/api/v1/series?target=${target}&metric=tls`),
    get(`/api/v1/matrix?target=${target}&metric=tls`),
    get('/api/v1/incidents'),
    get('/api/v1/alert-rules'),
    get('/metrics'),
    {
      name: `POST /api/ingest/results, ${RESULTS_A_BATCH} of them`,
      ask: (url) => fetch(`${url}/api/ingest/results`, { method: 'POST', headers, body: batch() }),
    },
  ];
}

async function report(builds: Build[], askings: Asking[]): Promise<void> {
  for (const { name, ask } of askings) {
    const times = builds.map(() => [] as number[]);
    for (let round = 0; round < ROUNDS; round++)
      for (const [n, { url }] of builds.entries()) {
        const began = performance.now();
        const answer = await ask(url);
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text}`);
        if (round >= WARM_UP) times[n]?.push(performance.now() - began);
      }
    for (const [n, build] of builds.entries()) {
      const at = (share: number) =>
        (times[n]?.toSorted((a, b) => a - b)[Math.floor((ROUNDS - WARM_UP) * share)] ?? 0).toFixed(1);
      print(build.name, name, `p50 ${at(0.5)} ms`, `p95 ${at(0.95)} ms`);
    }
  }
}

const print = (...cells: string[]) => console.log(`| ${cells.join(' | ')} |`);
