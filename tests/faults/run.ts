/**
 * `npm run test:faults [-- --seed N] [--rounds N]`: a whole Roundtrip under load, hurt in every way we know. Each fault is
 * followed by a wait for health without a hand; at the end the origin's ledger is held against the stored results, and
 * every rollup against them.
 */
import { parseArgs } from 'node:util';
import { Random } from '#analysis/synthetic/random.ts';
import { build } from '#cli/build.ts';
import { findOrInstallFaketime } from '../support/faketime.ts';
import { say } from '../support/step.ts';
import { DISKS, type Fault, KILLS, WAY } from './faults.ts';
import { compareLedger, some } from './ledger.ts';
import { compareRollups } from './rollups.ts';
import { type ProberKind, startWorld, type World } from './world.ts';

/** All must be well again so soon after a fault. */
const HEALTHY_WITHIN_MS = 30_000;
/** What the probers hold back may take so long to arrive at the end. */
const DRAINED_WITHIN_MS = 60_000;
const ASKED_EVERY_MS = 250;

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, rounds: { type: 'string', default: '1' } },
});
const random = new Random(Number(values.seed));
let passed = 0;
let failed = 0;

function expect(what: string, holds: boolean, detail = ''): void {
  if (holds) passed += 1;
  else failed += 1;
  say(`${holds ? 'ok  ' : 'FAIL'} ${what}${detail}`);
}

/** Asks until it holds; false where it does not in time. An answer that cannot be had is a no. */
async function until(holds: () => Promise<boolean>, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    if (await holds().catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
  }
  return false;
}

/** Ready, and a result of every prober that was taken after `since` is stored. */
async function isHealthy(world: World, since: number): Promise<boolean> {
  const ready = await fetch(`${world.url}/api/ready`, { signal: AbortSignal.timeout(2_500) });
  if (!ready.ok) return false;
  const rows = await world.query<{ vantage: string }>(
    `select vantage_id as vantage from result where started_at > to_timestamp($1 / 1000.0) group by 1`,
    [since],
  );
  const heard = new Set(rows.map((row) => row.vantage));
  return world.probers.every((prober) => heard.has(prober.vantageId));
}

async function suffer(world: World, fault: Fault): Promise<void> {
  await fault.hurt(world, random);
  const since = Date.now();
  const healthy = await until(() => isHealthy(world, since), HEALTHY_WITHIN_MS);
  expect(`${fault.name}: healthy again`, healthy, ` after ${((Date.now() - since) / 1_000).toFixed(1)} s`);
}

async function verify(world: World): Promise<void> {
  // What was served just now is still on its way.
  const end = Date.now() - 3_000;
  const arrived = await until(async () => (await compareLedger(world, end)).lost.length === 0, DRAINED_WITHIN_MS);
  await world.stopProbers();
  const ledger = await compareLedger(world, end);
  expect(`0 of ${ledger.served} results lost`, arrived, some(ledger.lost));
  say(`     ${ledger.killed} more were in the memory of a prober that was killed`);
  expect(`0 of ${ledger.stored} results doubled`, ledger.doubled.length === 0, some(ledger.doubled));
  expect('every result stands at the time it was taken', ledger.misdated.length === 0, some(ledger.misdated));
  const computed = await until(async () => (await waiting(world)) === 0, DRAINED_WITHIN_MS);
  expect('no minute waits to be computed', computed);
  const { cells, differences } = await compareRollups(world);
  expect(`${cells} rollup cells equal the raw results`, differences.length === 0, some(differences));
}

/** Minutes that are over and still to be computed. */
async function waiting(world: World): Promise<number> {
  const [row] = await world.query<{ n: number }>(`select (select count(*) from rollup_dirty where step = 60)::int
      + (select count(*) from rollup_log where minute < extract(epoch from now()) / 60 - 2)::int as n`);
  return row?.n ?? 1;
}

const shuffled = (faults: Fault[]) =>
  faults
    .map((fault) => ({ fault, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ fault }) => fault);

/** Null, said so, where there is none. */
function faketimeHere(): string | null {
  try {
    return findOrInstallFaketime(say);
  } catch (error) {
    say(`left out: probers with a wrong clock (${(error as Error).message})`);
    return null;
  }
}

/** A prober with the right clock, and three with wrong ones where the clock of a process can be set. */
function probersOf(faketime: string | null): ProberKind[] {
  const right = { name: 'right clock', region: 'CN-GD', env: {} };
  if (faketime === null) return [right];
  const wrong = (name: string, region: string, offset: string): ProberKind => ({
    name,
    region,
    // The kernel stamps arrivals by the machine's own clock: a process with another one has to do without.
    env: { LD_PRELOAD: faketime, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', ROUNDTRIP_NO_KERNEL: '1' },
  });
  return [
    right,
    wrong('two hours ahead', 'CN-BJ', '+2h'),
    wrong('forty days behind', 'CN-SH', '-40d'),
    wrong('ten minutes behind', 'CN-SC', '-10m'),
  ];
}

await build('program');
await build('web application');
const world = await startWorld(probersOf(faketimeHere()));
if (world.withoutDisk) say('left out: full disks (this account may not mount a disk in memory)');
try {
  const since = Date.now();
  expect('all probers deliver', await until(() => isHealthy(world, since), HEALTHY_WITHIN_MS));
  const faults = [...WAY, ...KILLS, ...(world.withoutDisk ? [] : DISKS)];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const fault of shuffled(faults)) await suffer(world, fault);
  }
  await verify(world);
} catch (error) {
  expect(error instanceof Error ? `${error.stack}` : String(error), false);
} finally {
  if (failed > 0) say(`\nThe server's terminal:\n${world.output()}`);
  await world.close();
}
say(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
