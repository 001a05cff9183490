import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ROOT } from '#cli/dist.mjs';
import type { Cause } from '#contract/explanation.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import type { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { run } from '#tests/lab/commands.ts';
import { labProblem, openLab } from '#tests/lab/lab.ts';
import { type LabProber, startProber } from '#tests/lab/probing.ts';
import { undisturbed } from '#tests/lab/seeds/sentences.ts';
import type { DropRule, Lab, Scenario } from '#tests/lab/types.ts';

/** What tests/integration/incidents-lab-causes.test.ts reads. */
const RECORDED = path.join(ROOT, 'tests/fixtures/incident/lab-causes.jsonl.gz');

/** Probes of each state at each distance, and how often a disturbed one is taken again. */
const PROBES = 5;
const MOST_TRIES = 4;
/** What may disturb a probe, ms. */
const DISTURBED_MS = 4;
/** Round-trip times of the vantages, ms. */
const DISTANCES = [28, 60];
const NODE_PORT = 8_431;

/** A server of Node's that takes its time: until it picks a certificate, staples, or answers; `busy` blocks it meanwhile. */
type Slow = { tls?: '1.2' | '1.3'; pickMs?: number; stapleMs?: number; answerMs?: number; busy?: boolean };

/** The state of server and path: nginx as a scenario says, or a server of Node's. */
type State = Omit<Scenario, 'name'> & {
  slow?: Slow;
  window?: number;
  moreRttMs?: number;
  drop?: DropRule;
  /** The second of two handshakes is measured. */
  resumed?: boolean;
};

type Case = {
  name: string;
  cause: Cause;
  kind?: IncidentKind;
  metric?: 'tls' | 'tcp' | 'firstByte';
  distances?: number[];
  before: State;
  after: State;
};

const PLAIN: State = { tls: '1.3', bodyBytes: 4_000 };
const OLD: State = { tls: '1.2', bodyBytes: 4_000 };
const node = (slow: Slow): State => ({ slow });

const CASES: Case[] = [
  { name: 'a longer path', cause: 'network', before: PLAIN, after: { ...PLAIN, moreRttMs: 30 } },
  { name: 'a longer path under TLS 1.2', cause: 'network', before: OLD, after: { ...OLD, moreRttMs: 30 } },
  { name: 'a shorter path', cause: 'network', kind: 'improvement', before: { ...PLAIN, moreRttMs: 30 }, after: PLAIN },
  {
    name: 'a lost segment inside the flight',
    cause: 'network',
    before: { ...OLD, chainBytes: 9_000 },
    after: { ...OLD, chainBytes: 9_000, drop: { what: 'server-data', nth: 3 } },
  },
  {
    name: 'a lost segment at the end of the flight',
    cause: 'network',
    before: PLAIN,
    after: { ...PLAIN, drop: { what: 'server-data', nth: 2 } },
  },
  {
    name: 'a lost segment and a longer path',
    cause: 'network',
    before: { ...OLD, chainBytes: 9_000 },
    after: { ...OLD, chainBytes: 9_000, moreRttMs: 20, drop: { what: 'server-data', nth: 2 } },
  },
  {
    name: 'a lost SYN',
    cause: 'network',
    metric: 'tcp',
    before: PLAIN,
    after: { ...PLAIN, drop: { what: 'syn' } },
  },
  { name: 'TLS 1.2 in the place of 1.3', cause: 'tls', before: PLAIN, after: OLD },
  { name: 'TLS 1.3 in the place of 1.2', cause: 'tls', kind: 'improvement', before: OLD, after: PLAIN },
  { name: 'a HelloRetryRequest', cause: 'tls', before: PLAIN, after: { ...PLAIN, groups: 'secp384r1' } },
  { name: 'certificates over the window', cause: 'tls', before: PLAIN, after: { ...PLAIN, chainBytes: 20_480 } },
  {
    name: 'certificates that fit in',
    cause: 'tls',
    kind: 'improvement',
    before: { ...OLD, chainBytes: 20_480 },
    after: OLD,
  },
  {
    name: 'a small window',
    cause: 'tls',
    before: { ...PLAIN, chainBytes: 9_000 },
    after: { ...PLAIN, chainBytes: 9_000, window: 3 },
  },
  {
    name: "Nagle's algorithm",
    cause: 'tls',
    before: { ...OLD, chainBytes: 5_200 },
    after: { ...OLD, chainBytes: 5_200, noDelay: false },
  },
  {
    name: 'a staple over the window',
    cause: 'tls',
    before: { ...PLAIN, chainBytes: 12_500, ocsp: true },
    after: { ...PLAIN, chainBytes: 12_500, staple: true },
  },
  {
    name: 'an RSA key of 4,096 bits',
    cause: 'tls',
    distances: [28],
    before: PLAIN,
    after: { ...PLAIN, key: 'rsa4096' },
  },
  {
    name: 'a lost session cache',
    cause: 'tls',
    before: { ...OLD, resumed: true },
    after: { ...OLD, tickets: false, resumed: true },
  },
  { name: 'a wait for the staple', cause: 'tls', before: node({ stapleMs: 0 }), after: node({ stapleMs: 80 }) },
  {
    name: 'a long wait for the staple',
    cause: 'tls',
    distances: [10, 28],
    before: node({ stapleMs: 0 }),
    after: node({ stapleMs: 300 }),
  },
  { name: 'a slow store of keys', cause: 'tls', before: node({ pickMs: 0 }), after: node({ pickMs: 60 }) },
  {
    name: 'a busy server',
    cause: 'server',
    before: node({}),
    after: node({ pickMs: 40, answerMs: 40 }),
  },
  {
    name: 'a busy server under TLS 1.2',
    cause: 'server',
    before: node({ tls: '1.2' }),
    after: node({ tls: '1.2', pickMs: 30, answerMs: 25, busy: true }),
  },
  {
    name: 'a busy server nearby',
    cause: 'server',
    distances: [4, 8],
    before: node({}),
    after: node({ pickMs: 70, answerMs: 60 }),
  },
  { name: 'a slow answer', cause: 'server', metric: 'firstByte', before: node({}), after: node({ answerMs: 50 }) },
];

type Recorded = Omit<Case, 'before' | 'after'> & { before: Result[][]; after: Result[][] };

/**
 * Records real servers and paths before and after each fault of which the cause is known: a line a case, with the Results of
 * both sides by distance. What the product makes of them is tested by an integration test. `args`: numbers of cases, else all.
 */
export async function benchLabCauses(args: string[]): Promise<void> {
  const problem = await labProblem((text) => process.stderr.write(`${text}\n`));
  if (problem) throw new Error(problem);
  const wanted = args.length === 0 ? CASES : args.map((arg) => CASES[Number(arg)]).filter((each) => each !== undefined);
  const lab = await openLab({ rttMs: 0, scenarios: [{ name: 'none' }] });
  const lines: string[] = [];
  try {
    const prober = await startProber(lab);
    for (const one of wanted) {
      const recorded = await recordCase(lab, prober, one);
      lines.push(JSON.stringify(recorded));
      const medians = [recorded.before, recorded.after].map((side) =>
        side.map((results) => medianTls(results)).join(' '),
      );
      console.log(`${one.name}: tls ${medians.join(' -> ')} ms`);
    }
  } finally {
    await lab.close();
  }
  if (args.length > 0) return;
  await mkdir(path.dirname(RECORDED), { recursive: true });
  await writeFile(RECORDED, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
}

function medianTls(results: readonly Result[]): string {
  const sorted = results.flatMap(({ phases }) => phases.tls ?? []).sort((a, b) => a - b);
  return (sorted[sorted.length >> 1] ?? Number.NaN).toFixed(1);
}

async function recordCase(lab: Lab, prober: LabProber, one: Case): Promise<Recorded> {
  const { before, after, ...rest } = one;
  const distances = one.distances ?? DISTANCES;
  return {
    ...rest,
    before: await measure(lab, prober, before, distances),
    after: await measure(lab, prober, after, distances),
  };
}

async function measure(lab: Lab, prober: LabProber, state: State, distances: readonly number[]): Promise<Result[][]> {
  const { slow, window = 10, moreRttMs = 0, drop, resumed = false, ...scenario } = state;
  const ocsp = slow?.stapleMs === undefined ? {} : { staple: true };
  await lab.serve([{ ...scenario, ...ocsp, name: 'case' }]);
  await lab.setInitcwnd(window);
  const server = slow ? await startNode(lab, slow) : null;
  const port = slow ? NODE_PORT : lab.ports.case;
  const sides: Result[][] = [];
  for (const rttMs of distances) {
    await lab.setRtt(rttMs + moreRttMs);
    const settings = { caPem: lab.caPem, alpn: ['http/1.1' as const], resume: resumed, sni: 'lab.test' };
    const order = { url: `https://${lab.address}:${port}/`, settings };
    const results: Result[] = [];
    while (results.length < PROBES) results.push(await probeOnce(lab, prober, order, drop ?? null));
    sides.push(results);
  }
  server?.kill();
  return sides;
}

type Order = { url: string; settings: Partial<ProbeSettings> };

async function probeOnce(lab: Lab, prober: LabProber, order: Order, drop: DropRule | null): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    if (drop) await lab.drop(drop);
    const all = await prober.sequence(order);
    if (drop) await lab.drop(null);
    // Where a server gives no session, a second visit is a first one again.
    const result = all.find(({ variant }) => order.settings.resume && variant === 'resumed') ?? all[0];
    if (!result?.ok) throw new Error(`a probe failed: ${JSON.stringify(result?.failure)}`);
    if (result.prober.clean || (result.prober.lateMs ?? 0) < DISTURBED_MS || tries === MOST_TRIES) return slim(result);
  }
}

/** Without what nothing of this reads: a fixture need not hold each record of each handshake. */
function slim(result: Result): Result {
  const { tls } = result;
  return undisturbed({ ...result, findings: [], tls: tls && { ...tls, wire: [], hellos: null } });
}

async function startNode(lab: Lab, { tls, pickMs, stapleMs, answerMs = 0, busy = false }: Slow) {
  const chain = path.join(lab.folder, stapleMs === undefined ? 'chain-ec-1700' : 'chain-ec-1700-ocsp');
  const program = `
    const { readFileSync, existsSync } = require('node:fs');
    const tls = require('node:tls');
    const key = readFileSync('${chain}.key'), cert = readFileSync('${chain}.pem');
    const staple = existsSync('${chain}.ocsp') ? readFileSync('${chain}.ocsp') : null;
    const context = tls.createSecureContext({ key, cert });
    const later = (ms, then) => {
      if (!${busy}) return ms > 0 ? setTimeout(then, ms) : then();
      for (const until = performance.now() + ms; performance.now() < until; );
      then();
    };
    const versions = ${JSON.stringify(tls ? { minVersion: `TLSv${tls}`, maxVersion: `TLSv${tls}` } : {})};
    const pick = ${pickMs !== undefined} ? { SNICallback: (_, done) => later(${pickMs ?? 0}, () => done(null, context)) } : {};
    const body = 'x'.repeat(4000);
    const server = require('node:https').createServer({ key, cert, ...versions, ...pick }, (_, response) =>
      later(${answerMs}, () => response.end(body)));
    if (${stapleMs !== undefined}) server.on('OCSPRequest', (_c, _i, done) => later(${stapleMs ?? 0}, () => done(null, staple)));
    server.listen(${NODE_PORT}, '${lab.address}');`;
  const child = spawn(lab.inServer[0] ?? '', [...lab.inServer.slice(1), process.execPath, '-e', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'spawn');
  for (let tries = 0; tries < 200; tries += 1) {
    const { stdout } = await run([...lab.inServer, 'ss', '-tlnH', `sport = :${NODE_PORT}`]);
    if (stdout.includes(`:${NODE_PORT}`)) return child;
    await sleep(50);
  }
  throw new Error('the server of Node does not listen');
}
