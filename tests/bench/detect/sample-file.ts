import type { SyntheticSample } from '#analysis/synthetic/draw-samples.ts';
import { HEADER } from '#cli/detect/read-samples.ts';
import type { EventLabel, SeriesLabel } from './world/labels.ts';

// The names of the files that `roundtrip detect` reads and writes, and of the labels beside them: a region is a province there.

export const SAMPLE_HEADER = HEADER;

/** One row of a sample file, without the line's end. Milliseconds to a thousandth. */
export function sampleRow(
  series: { target: string; region: string; carrier: string },
  sample: SyntheticSample,
): string {
  const key = `${sample.at},${series.target},${series.region},${series.carrier},${ms(sample.dnsMs)}`;
  if (!sample.ok) return `${key},,,,0`;
  return `${key},${ms(sample.tcpMs)},${ms(sample.tlsMs)},${ms(sample.firstByteMs)},1`;
}

/** One line of a file of labels, without its end. */
export function labelLine(label: SeriesLabel | EventLabel): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(label).map(([name, value]) => [name === 'region' ? 'province' : name, value])),
  );
}

/** Objects of a file with one JSON object per line, `province` read as `region`. */
export function parseLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { province, ...rest } = JSON.parse(line);
      return { ...rest, region: province } as T;
    });
}

function ms(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
