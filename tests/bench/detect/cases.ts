import { type Detection, seriesKey } from './detection.ts';
import type { Case } from './judge.ts';
import { parseLines } from './sample-file.ts';
import type { EventLabel, SeriesLabel } from './world/labels.ts';

/** Instants of successful probes of a series, rising, by `seriesKey`. */
export type Instants = ReadonlyMap<string, readonly number[]>;

/** Brings labels and detections together by series. A detection of a series without a label is an error: it would count nowhere. */
export function casesOf(
  labels: readonly (SeriesLabel | EventLabel)[],
  detections: readonly Detection[],
  instants?: Instants,
): Case[] {
  const cases = new Map<string, { series: SeriesLabel; events: EventLabel[]; detections: Detection[] }>();
  for (const label of labels)
    if (label.type === 'series') cases.set(seriesKey(label), { series: label, events: [], detections: [] });
  const caseOf = (key: string) => {
    const found = cases.get(key);
    if (!found) throw new Error(`no series ${key} in the labels`);
    return found;
  };
  for (const label of labels) if (label.type === 'event') caseOf(seriesKey(label)).events.push(label);
  for (const detection of detections) caseOf(seriesKey(detection)).detections.push(detection);
  return [...cases].map(([key, one]) => ({ ...one, instants: instants?.get(key) }));
}

export function parseLabels(text: string): (SeriesLabel | EventLabel)[] {
  return parseLines<SeriesLabel | EventLabel>(text);
}

/** Instants of successful probes from the rows of a sample file. */
export async function readInstants(lines: AsyncIterable<string>): Promise<Instants> {
  const instants = new Map<string, number[]>();
  for await (const line of lines) {
    const [at = '', target, region, carrier] = line.split(',', 4);
    if (!line.endsWith(',1') || at === 'timestamp') continue;
    const key = `${target}/${region}/${carrier}`;
    const known = instants.get(key);
    if (known) known.push(Number(at));
    else instants.set(key, [Number(at)]);
  }
  return instants;
}
