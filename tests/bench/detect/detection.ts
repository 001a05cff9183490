import type { Cause } from '#analysis/synthetic/event.ts';

/** One line of `detections.jsonl`, as `roundtrip detect` writes it. Times in epoch seconds. */
export type Detection = {
  target: string;
  region: string;
  carrier: string;
  kind: 'spike' | 'regression' | 'improvement';
  at: number;
  cause?: Cause;
  /** The page on which a human sees it. */
  incident?: string;
  change_at?: number;
};

export function seriesKey(series: { target: string; region: string; carrier: string }): string {
  return `${series.target}/${series.region}/${series.carrier}`;
}
