import type { Cause } from '#analysis/synthetic/event.ts';

/** One line of `detections.jsonl`, as `roundtrip detect` writes it. Times in epoch seconds. */
export type Detection = {
  target: string;
  province: string;
  carrier: string;
  kind: 'spike' | 'regression' | 'improvement';
  at: number;
  cause?: Cause;
  /** The page on which a human sees it. */
  incident?: string;
  change_at?: number;
};

export function seriesKey(series: { target: string; province: string; carrier: string }): string {
  return `${series.target}/${series.province}/${series.carrier}`;
}

/** Objects of a file with one JSON object a line. */
export function parseLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}
