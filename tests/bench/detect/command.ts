import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type CauseChange, type Detection, type Merge, sorted } from './detection.ts';
import type { Detector, Outcome } from './detector.ts';
import { parseLines } from './sample-file.ts';
import type { Series } from './world/world.ts';
import { writeSamples } from './worlds.ts';

const CLI = path.join(import.meta.dirname, '../../../cli');

/** The product: `roundtrip detect` as a process, over a file. */
export const roundtripDetector: Detector = {
  name: 'roundtrip',
  detect: (world) => detectUntil(world, Number.POSITIVE_INFINITY),
};

/** A checkout may have the generator and no detector yet. */
export function hasCommand(): boolean {
  return existsSync(path.join(CLI, 'detect.ts'));
}

/** What `roundtrip detect` says of the file cut off after `until` (epoch seconds). */
export async function detectUntil(world: readonly Series[], until: number): Promise<Outcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-detect-'));
  try {
    const input = path.join(folder, 'samples.csv');
    const output = path.join(folder, 'detections.jsonl');
    await writeSamples(input, world, until);
    const summary = await run(['detect', '--in', input, '--out', output]);
    const lines = parseLines<Detection | Merge | CauseChange>(await readFile(output, 'utf8'));
    return { ...sorted(lines), ms: timeIn(summary) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The command's summary says how long it took without reading the file. */
function timeIn(summary: string): number | null {
  const seconds = /([\d.]+) s to detect/.exec(summary)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

async function run(arguments_: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [path.join(CLI, 'roundtrip.mjs'), ...arguments_], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const ended = new Promise<number | null>((settle) => child.once('close', settle));
  const [said, status] = await Promise.all([text(child.stderr), ended]);
  if (status !== 0) throw new Error(`roundtrip ${arguments_[0]} ended with status ${status}: ${said}`);
  return said;
}
