// A spool whose disk fills up and is freed: `node spool-full-child.ts FOLDER mount|limit` prints what came of it as JSON. With `mount`
// the folder is a small file system of its own, which a ballast fills to the brim; with `limit` the process has a limit of file
// sizes, under which every write ends half-way.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { MEMORY_BYTES, Spool } from '#workers/prober/spool.ts';
import { fillDisk } from './full-disk.ts';

export type FullDiskOutcome = {
  /** Results that were in memory, and lost, when memory was nearly full. */
  inMemory: number;
  droppedBefore: number;
  /** How many were appended in all, lost, and delivered (their numbers), while the disk was full and after. */
  appended: number;
  counts: Spool['counts'];
  deliveredFull: number[];
  deliveredFreed: number[];
  inMemoryFreed: number;
  warnings: string[];
};

const [folder = '', mode] = process.argv.slice(2);
const ballast = join(folder, 'ballast');
const warnings: string[] = [];
const RESULT_BYTES = 8 * 1024;

function freeDisk(): void {
  if (mode === 'mount') rmSync(ballast);
  else execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:unlimited']);
}

let appended = 0;
function append(spool: Spool, count: number): void {
  for (const end = appended + count; appended < end; appended += 1) {
    spool.append(JSON.stringify({ n: appended, text: `${appended} `.repeat(RESULT_BYTES).slice(0, RESULT_BYTES) }));
  }
}

async function deliver(spool: Spool, atMost: number): Promise<number[]> {
  const numbers: number[] = [];
  while (numbers.length < atMost) {
    const batch = await spool.read(Math.min(500, atMost - numbers.length));
    if (!batch) break;
    numbers.push(...batch.lines.map((line) => JSON.parse(line).n));
    await spool.acknowledge(batch);
  }
  return numbers;
}

const directory = join(folder, 'spool');
mkdirSync(directory);
const spool = new Spool({ directory, warn: (message) => warnings.push(message) });
if (mode === 'mount') {
  append(spool, 100);
  await spool.flush();
}
if (mode === 'mount') fillDisk(ballast);
append(spool, Math.floor((MEMORY_BYTES * 0.97) / RESULT_BYTES));
await spool.flush();
const { inMemory } = spool;
const droppedBefore = spool.counts.dropped;
append(spool, Math.ceil((MEMORY_BYTES * 0.1) / RESULT_BYTES));
await spool.flush();
const deliveredFull = await deliver(spool, 600);
freeDisk();
append(spool, 50);
await spool.flush();
const inMemoryFreed = spool.inMemory;
const deliveredFreed = await deliver(spool, Number.POSITIVE_INFINITY);
await spool.close();
const { counts } = spool;
const outcome: FullDiskOutcome = {
  inMemory,
  droppedBefore,
  appended,
  counts,
  deliveredFull,
  deliveredFreed,
  inMemoryFreed,
  warnings,
};
writeSync(1, JSON.stringify(outcome));
