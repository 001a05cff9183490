import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { adviceOf } from '#analysis/advice/advice.ts';
import { ROOT } from '#cli/dist.mjs';
import type { AdviceCode } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { labProblem } from '#tests/lab/lab.ts';
import { probed } from '#tests/lab/seeds/seed.ts';
import { undisturbed } from '#tests/lab/seeds/sentences.ts';
import { labTestbed, type Testbed } from '#tests/lab/seeds/testbed.ts';
import type { Scenario } from '#tests/lab/types.ts';
import type { State } from './what-if/pairs.ts';
import { type Other, startOthers } from './what-if/servers.ts';

const RTT_MS = 28;
const PROBES = 3;
const DEFAULT_WINDOW = 10;
const OTHER_PORT = 8_431;
const PARTS = ['windows', 'records', 'healthy', 'record'] as const;
/** What tests/unit/advice/recorded.test.ts reads, written anew where `record` is asked for by name. */
const RECORDED = path.join(ROOT, 'tests/fixtures/advice/servers.json.gz');

/**
 * What the product tells apart in the lab, as Markdown: what holds a server's bytes back (Nagle's algorithm, or a window of 3,
 * 4 or 10 segments), records of 16 kB over HTTP/2 by server, and that well-set servers get no advice. `args` name the parts.
 */
export async function benchLabFigures(args: string[]): Promise<void> {
  const unknown = args.find((arg) => !PARTS.some((part) => part === arg));
  if (unknown !== undefined) throw new Error(`there is no part ${unknown}: give some of ${PARTS.join(', ')}, or none`);
  const problem = await labProblem((text) => process.stderr.write(`${text}\n`));
  if (problem) throw new Error(problem);
  if (args.includes('record')) return await record();
  const testbed = await labTestbed();
  try {
    await testbed.setRtt(RTT_MS);
    console.log(`${testbed.sentence} Round-trip time ${RTT_MS} ms, ${PROBES} probes a case.\n`);
    const wants = (part: (typeof PARTS)[number]) => args.length === 0 || args.includes(part);
    if (wants('windows')) await tellWindows(testbed);
    await testbed.setInitcwnd(DEFAULT_WINDOW);
    if (wants('records')) await tellRecords(testbed);
    if (wants('healthy')) await tellHealthy(testbed);
  } finally {
    await testbed.close();
  }
}

type Case = { scenario: Scenario; window: number; truth: string };

const NAGLE = "Nagle's algorithm";

/** Chains that no window of these holds to the segment, which shows no more than its least; and those that Nagle's algorithm holds back. */
const CHAINS = { window: [6_500, 9_000, 20_480], nagle: [5_200, 7_000, 9_000] };

function windowCases(): Case[] {
  return (['1.2', '1.3'] as const).flatMap((tls) => {
    const scenario = (chainBytes: number, noDelay: boolean): Scenario => ({
      ...{ name: `${tls}-${chainBytes}${noDelay ? '' : '-nagle'}`, tls, chainBytes, noDelay },
      ...{ bodyBytes: 60_000, tickets: false },
    });
    const windows = CHAINS.window.flatMap((bytes) =>
      [3, 4, DEFAULT_WINDOW].map((window) => ({
        scenario: scenario(bytes, true),
        window,
        truth: `window of ${window}`,
      })),
    );
    const held = CHAINS.nagle.map((bytes) => ({
      scenario: scenario(bytes, false),
      window: DEFAULT_WINDOW,
      truth: NAGLE,
    }));
    return [...windows, ...held];
  });
}

/** What one Result says held the server back. */
function saidBy({ roundTrips }: Result): string {
  if (roundTrips?.waits.some(({ heldBy }) => heldBy === 'nagle')) return NAGLE;
  const window = roundTrips?.serverWindow;
  return window ? `window of ${window.exact ? '' : 'at least '}${window.segments}` : 'nothing';
}

async function tellWindows(testbed: Testbed): Promise<void> {
  const cases = windowCases();
  const scenarios = [...new Map(cases.map(({ scenario }) => [scenario.name, scenario])).values()];
  const ports = await testbed.serve(scenarios);
  const rows: string[] = [];
  let right = 0;
  for (const { scenario, window, truth } of cases) {
    await testbed.setInitcwnd(window);
    const said = (await probed(testbed, ports[scenario.name], PROBES, { alpn: ['http/1.1'] })).map(saidBy);
    const verdict = mostOften(said);
    if (verdict === truth) right += 1;
    rows.push(`| TLS ${scenario.tls} | ${scenario.chainBytes} | ${truth} | ${verdict} |`);
  }
  console.log('| version | chain, bytes | truth | said by most |\n|---|---|---|---|');
  console.log(`${rows.join('\n')}\n\nTold apart: ${right} of ${cases.length}.\n`);
}

function mostOften(values: readonly string[]): string {
  const counts = [...Map.groupBy(values, (value) => value)].map(([value, same]) => ({ value, n: same.length }));
  return counts.toSorted((a, b) => b.n - a.n)[0]?.value ?? 'nothing';
}

type Server = { name: string; state: State };

/** Results of servers, with second visits and second requests; those that are not installed are named and left out. */
async function resultsOf(testbed: Testbed, servers: readonly Server[]): Promise<Map<string, Result[]>> {
  const { beside } = testbed;
  const own = servers.filter(({ state }) => (state.server ?? 'nginx') === 'nginx');
  const ports = await testbed.serve(own.map(({ name, state }) => ({ ...state, name })));
  const others: Other[] = servers
    .filter(({ state }) => (state.server ?? 'nginx') !== 'nginx')
    .map(({ state }, index) => ({ state, port: OTHER_PORT + index }));
  const missing = await startOthers(
    { inServer: [...beside.enter], folder: beside.folder, address: testbed.address },
    others,
  );
  for (const server of missing) console.log(`${server} is not installed here: it is left out.\n`);
  const found = new Map<string, Result[]>();
  for (const { name, state } of servers) {
    if (missing.has(state.server ?? 'nginx')) continue;
    const port = others.find((other) => other.state === state)?.port ?? ports[name];
    const settings = { resume: true, reuse: true, alpn: state.http2 ? ['h2' as const] : ['http/1.1' as const] };
    found.set(name, (await probed(testbed, port, PROBES, settings)).map(undisturbed));
  }
  return found;
}

const AS_INSTALLED: State = { http2: true, bodyBytes: 24_000 };
const LARGE_RECORDS: (Server & { large: boolean })[] = [
  { name: 'nginx', state: { ...AS_INSTALLED }, large: true },
  { name: 'HAProxy', state: { ...AS_INSTALLED, server: 'haproxy' }, large: true },
  { name: 'Apache', state: { ...AS_INSTALLED, server: 'apache' }, large: true },
  { name: 'Node', state: { ...AS_INSTALLED, server: 'node' }, large: true },
  { name: 'Go', state: { ...AS_INSTALLED, server: 'go' }, large: false },
];

const codesOf = (results: readonly Result[], client: 'api' | 'browser'): AdviceCode[] =>
  adviceOf(results, { client }).map(({ code }) => code);

async function tellRecords(testbed: Testbed): Promise<void> {
  const results = await resultsOf(testbed, LARGE_RECORDS);
  console.log('| server | first record of the body, bytes | `record_over_window` | as it is |\n|---|---|---|---|');
  for (const { name, large } of LARGE_RECORDS) {
    const own = results.get(name);
    if (!own) continue;
    const found = codesOf(own, 'api').includes('record_over_window');
    const bytes = [...new Set(own.flatMap(({ http }) => http?.firstBodyRecordBytes ?? []))].join(', ');
    console.log(`| ${name} | ${bytes} | ${found ? 'found' : 'not found'} | ${found === large ? 'yes' : 'NO'} |`);
  }
  console.log('');
}

const WELL_SET: State = { http2: true, bodyBytes: 10_000 };
/**
 * All with TLS 1.3, tickets, HTTP/2 and a short ECDSA chain; nginx with records of 4 kB, HAProxy and Node of 1,400 bytes. Apache
 * cuts a record of 10 kB into eleven segments or more, so that it needs a second round trip: its body is shorter.
 */
const HEALTHY: Server[] = [
  { name: 'nginx', state: { ...WELL_SET, recordBytes: 4_096, bodyBytes: 12_000 } },
  { name: 'HAProxy', state: { ...WELL_SET, server: 'haproxy', recordBytes: 1_400 } },
  { name: 'Apache', state: { ...WELL_SET, server: 'apache', bodyBytes: 6_000 } },
  { name: 'Node', state: { ...WELL_SET, server: 'node', recordBytes: 1_400 } },
  { name: 'Go', state: { ...WELL_SET, server: 'go' } },
];

async function tellHealthy(testbed: Testbed): Promise<void> {
  const results = await resultsOf(testbed, HEALTHY);
  console.log('| well-set server | advice for browsers | for API clients |\n|---|---|---|');
  for (const [name, own] of results) {
    const [browser, api] = [codesOf(own, 'browser'), codesOf(own, 'api')].map((codes) => codes.join(', ') || 'none');
    console.log(`| ${name} | ${browser} | ${api} |`);
  }
}

/** Stores Results of servers as they are installed and of well-set ones, each in a lab of its own. */
async function record(): Promise<void> {
  const recorded = { installed: await recordedOf(LARGE_RECORDS), wellSet: await recordedOf(HEALTHY) };
  await mkdir(path.dirname(RECORDED), { recursive: true });
  await writeFile(RECORDED, gzipSync(JSON.stringify(recorded), { level: 9 }));
}

async function recordedOf(servers: readonly Server[]): Promise<Record<string, Result[]>> {
  const testbed = await labTestbed();
  try {
    await testbed.setRtt(RTT_MS);
    return Object.fromEntries(await resultsOf(testbed, servers));
  } finally {
    await testbed.close();
  }
}
