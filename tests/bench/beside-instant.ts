import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '#cli/dist.mjs';
import type { Result } from '#contract/result.ts';
import { labProblem } from '#tests/lab/lab.ts';
import { toTold } from './peers/roundtrip.ts';
import { pairUp, rateOf } from './truth-errors.ts';
import { openTruthLab } from './truth-lab.ts';
import { OTHER_CORE, onCore, PROBER_CORE, start } from './truth-process.ts';
import type { Raced } from './truth-race.ts';
import { errorRow, ownTable, table } from './truth-tables.ts';

const RTT_MS = 28;
/** 50 scheduled probes a second. */
const CHECKS = 500;
const PERIOD_SECONDS = 10;
const WARM_UP_MS = 12_000;
const MEASURED_MS = 30_000;
/** After so long the prober has sent what it measured. */
const DELIVERED_MS = 12_000;
/** Measurements that begin at once, every ten seconds, each at the three vantages of a prober. */
const MEASUREMENTS = 50;
const VANTAGES = 3;
const EVERY_MS = 10_000;
const ADDRESS = '10.77.1.1';

/**
 * Whether instant probes disturb the scheduled ones: signed errors of the scheduled Results of one prober, on a core of its own, against
 * captured packets, without instant probes and while 50 measurements at once begin every ten seconds.
 */
export async function benchBesideInstant(): Promise<void> {
  const problem = await labProblem(console.error);
  if (problem !== null) return void console.log(`The bench of the prober is left out: ${problem}`);
  execFileSync('taskset', ['-a', '-c', '-p', String(OTHER_CORE), String(process.pid)], { stdio: 'ignore' });
  const loads = { alone: 0, [`beside ${MEASUREMENTS} measurements at once, again and again`]: MEASUREMENTS };
  const rows: { load: string; raced: Raced; notes: string }[] = [];
  for (const [load, instant] of Object.entries(loads)) rows.push({ load, ...(await measure(instant)) });
  console.log(`${CHECKS} checks every ${PERIOD_SECONDS} s, RTT ${RTT_MS} ms: scheduled Results alone\n`);
  const head = ['scheduled', 'probes', 'a second', 'connect', 'TLS on the wire', 'TLS phase', 'first byte'];
  console.log(
    table(
      head,
      rows.map(({ load, raced }) => errorRow({ tool: { name: load }, raced })),
    ),
  );
  console.log(`\n${ownTable(rows)}\n`);
  for (const { load, notes } of rows) console.log(`${load}: ${notes}`);
}

async function measure(measurements: number): Promise<{ raced: Raced; notes: string }> {
  const lab = await openTruthLab(RTT_MS);
  const data = mkdtempSync(path.join(tmpdir(), 'roundtrip-bench-prober-'));
  const inNamespace = (core: number, command: string[]) => [
    ...lab.inProber,
    ...onCore(core, [process.execPath, ...command]),
  ];
  try {
    const { name, port, caFile } = lab.server;
    const scene = {
      address: ADDRESS,
      name,
      port,
      caPem: readFileSync(caFile, 'utf8'),
      checks: CHECKS,
      periodSeconds: PERIOD_SECONDS,
      vantages: VANTAGES,
    };
    const script = path.join(import.meta.dirname, 'instant-server.ts');
    const server = start(inNamespace(OTHER_CORE, [script, JSON.stringify(scene)]), ['pipe', 'pipe', 'inherit']);
    const lines = createInterface({ input: server.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
    const { url, token } = JSON.parse((await lines.next()).value ?? '');
    const command = ['prober', '--server', url, '--token', token, '--data', data, '--allow-private', '10.77.0.0/16'];
    const prober = start(inNamespace(PROBER_CORE, [path.join(ROOT, 'cli/roundtrip.mjs'), ...command]), [
      'ignore',
      'ignore',
      'inherit',
    ]);
    await sleep(WARM_UP_MS);
    const [since, capture] = [Date.now(), await lab.capture()];
    for (let passed = 0; passed < MEASURED_MS; passed += EVERY_MS) {
      server.stdin?.write(measurements > 0 ? `${measurements}\n` : '');
      await sleep(EVERY_MS);
    }
    const until = Date.now();
    const seen = await capture.stop();
    await sleep(DELIVERED_MS);
    prober.kill('SIGTERM');
    await once(prober, 'close');
    server.stdin?.end();
    const results: Result[] = [];
    let answered = 0;
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const said = JSON.parse(line.value);
      if ('instant' in said) answered = said.instant;
      else results.push(said);
    }
    const within = results.filter(
      ({ startedAt }) => Date.parse(startedAt) >= since && Date.parse(startedAt) < until - 1_000,
    );
    const good = within.filter(({ ok }) => ok);
    const run = {
      told: good.map(toTold),
      failed: within.length - good.length,
      cpu: { userMs: 0, systemMs: 0 },
      peak: { hwmKb: 0, rssKb: 0, open: 0 },
    };
    const pairs = pairUp(run.told, seen);
    const due = (CHECKS / PERIOD_SECONDS) * ((until - 1_000 - since) / 1_000);
    const notes = `${within.length} of ${due.toFixed(0)} that were due; ${answered} of ${(measurements * VANTAGES * MEASURED_MS) / EVERY_MS} instant probes answered`;
    return { raced: { run, pairs, perSecond: rateOf(pairs.map((pair) => pair.seen)) }, notes };
  } finally {
    await lab.close();
    rmSync(data, { recursive: true, force: true });
  }
}
