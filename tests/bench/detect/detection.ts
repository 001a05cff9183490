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
  /** False: a note in the series' log, on no page. */
  page?: boolean;
};

/** A page became part of another. */
export type Merge = { kind: 'merge'; at: number; incident: string; into: string };
/** A page's cause is another from now on. */
export type CauseChange = { kind: 'cause'; at: number; incident: string; cause: Cause };

/** All lines of `detections.jsonl`, by what they say. */
export type Lines = { detections: Detection[]; merges: Merge[]; causes: CauseChange[] };

export function sorted(lines: readonly (Detection | Merge | CauseChange)[]): Lines {
  const found: Lines = { detections: [], merges: [], causes: [] };
  for (const line of lines) {
    if (line.kind === 'merge') found.merges.push(line);
    else if (line.kind === 'cause') found.causes.push(line);
    else found.detections.push(line);
  }
  return found;
}

export function seriesKey(series: { target: string; region: string; carrier: string }): string {
  return `${series.target}/${series.region}/${series.carrier}`;
}
