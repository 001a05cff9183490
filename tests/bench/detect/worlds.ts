import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { labelLine, SAMPLE_HEADER, sampleRow } from './sample-file.ts';
import type { Style } from './world/ranges.ts';
import { drawSeries, drawWorld, type Series } from './world/world.ts';

/** All series of a world, samples and labels. */
export function drawAll(style: Style, seed: number, count: number): Series[] {
  return drawWorld(style, seed, count).series.map((line) => drawSeries(line, seed));
}

/** Writes the input of `roundtrip detect`; `until` (epoch seconds) cuts it off, that instant included. */
export async function writeSamples(
  file: string,
  world: readonly Series[],
  until = Number.POSITIVE_INFINITY,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await pipeline(Readable.from(chunks(world, until)), createWriteStream(file));
}

function* chunks(world: readonly Series[], until: number): Generator<string> {
  yield `${SAMPLE_HEADER}\n`;
  for (const { label, samples } of world) {
    const kept = samples.filter((sample) => sample.at <= until);
    yield kept.map((sample) => `${sampleRow(label, sample)}\n`).join('');
  }
}

export async function writeLabels(file: string, world: readonly Series[]): Promise<void> {
  const lines = world.flatMap(({ label, events }) => [label, ...events]).map((label) => `${labelLine(label)}\n`);
  await pipeline(Readable.from(lines), createWriteStream(file));
}
