import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Detection, GroupChange, GroupId } from '#analysis/detection/detection.ts';
import { createDetector } from '#analysis/detection/detector.ts';
import { byTime } from './merge.ts';
import { readSamples, SampleFileError } from './read-samples.ts';

/** Reads samples, runs the detectors and writes what they find; the summary of it, for people. */
export async function detectFile(input: string, output: string): Promise<string> {
  const begun = performance.now();
  const series = await readSamples(textOf(input));
  const read = performance.now();
  const detector = createDetector();
  for (const columns of series) detector.indexOf(columns.series);
  const out = await openOutput(output);
  const kinds: Record<string, number> = { spike: 0, regression: 0, improvement: 0 };
  const incidents = new Set<string>();
  for (const { timestamp, samples } of byTime(series)) {
    for (const detection of detector.advance(timestamp, samples)) {
      kinds[detection.kind] = (kinds[detection.kind] ?? 0) + 1;
      incidents.add(incidentOf(detection.group));
      if (!out.write(`${lineOf(detection)}\n`)) await once(out, 'drain');
    }
    for (const change of detector.changes()) {
      if (change.kind === 'merge') incidents.delete(incidentOf(change.group));
      if (!out.write(`${lineOfChange(change)}\n`)) await once(out, 'drain');
    }
  }
  if (out !== process.stdout) await new Promise((settle) => out.end(() => settle(undefined)));
  const rows = series.reduce((sum, { length }) => sum + length, 0);
  const early = series.reduce((sum, each) => sum + each.early, 0);
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const sorted = early > 0 ? `${early} rows came after later ones of their series: sorted by time\n` : '';
  return (
    `${rows} samples of ${series.length} series: ${kinds.spike} spikes, ${kinds.regression} regressions, ` +
    `${kinds.improvement} improvements in ${incidents.size} incidents; ` +
    `${seconds(read - begun)} to read, ${seconds(performance.now() - read)} to detect\n${sorted}`
  );
}

/** The published format: see docs/detection.md. */
function lineOf({ target, region, carrier, kind, at, cause, group, changeAt, page, shares }: Detection): string {
  const incident = incidentOf(group);
  const note = page ? {} : { page };
  const slower = shares && { slower_before: rounded(shares.before), slower_after: rounded(shares.after) };
  const where = { target, province: region, carrier };
  return JSON.stringify({ ...where, kind, at, cause, incident, change_at: changeAt, ...note, ...slower });
}

const rounded = (share: number) => Math.round(share * 1_000) / 1_000;

function lineOfChange(change: GroupChange): string {
  const { kind, at } = change;
  const incident = incidentOf(change.group);
  return JSON.stringify(
    kind === 'merge'
      ? { kind, at, incident, into: incidentOf(change.into) }
      : { kind, at, incident, cause: change.cause },
  );
}

function incidentOf(group: GroupId): string {
  return `${group.cause}/${group.cause === 'network' ? group.carrier : group.target}/${group.changeAt}`;
}

async function* textOf(input: string): AsyncGenerator<string> {
  const stream = input === '-' ? process.stdin : createReadStream(input, { highWaterMark: 1 << 20 });
  stream.setEncoding('utf8');
  try {
    yield* stream as AsyncIterable<string>;
  } catch (error) {
    throw new SampleFileError(`${input} cannot be read: ${(error as Error).message}`);
  }
}

async function openOutput(output: string): Promise<Writable> {
  if (output === '-') return process.stdout;
  const file = createWriteStream(output);
  try {
    await once(file, 'open');
  } catch (error) {
    throw new SampleFileError(`${output} cannot be written: ${(error as Error).message}`);
  }
  return file;
}
