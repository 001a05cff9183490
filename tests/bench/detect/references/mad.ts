import type { Detection } from '../detection.ts';
import type { Detector } from '../detector.ts';
import type { Series } from '../world/world.ts';
import { madOf, medianOf, type Point, windowOf } from './levels.ts';

const HOUR = 3_600;
/** Tuned by hand on a few worlds, so that the comparison is with a detector that somebody cared about. */
const Z = 7;
const RATIO = 0.25;
const MS = 12;
const IN_A_ROW = 5;
const QUIET = 2 * HOUR;
const WINDOW = 24 * HOUR;
const SHIFT_Z = 1;
const SHIFT_RATIO = 0.08;
const SHIFT_MS = 2.8;

/** A rolling median and MAD of the logarithm, as many dashboards have it: the last day for spikes, a day against the two before for shifts. */
export const madDetector: Detector = {
  name: 'MAD z-score',
  detect: (world) => ({ detections: world.flatMap(detect), ms: null }),
};

function detect({ label, samples }: Series): Detection[] {
  const points = samples.flatMap((sample) => (sample.ok ? [sample] : []));
  const { target, region, carrier } = label;
  const on = { target, region, carrier };
  return [
    ...spikes(points).map((at) => detection(on, 'spike', at)),
    ...shifts(points).map(([kind, at]) => detection(on, kind, at)),
  ];
}

function detection(
  on: { target: string; region: string; carrier: string },
  kind: Detection['kind'],
  at: number,
): Detection {
  return { ...on, kind, at, cause: 'network', incident: `${on.target} ${kind} ${Math.floor(at / HOUR)}` };
}

function spikes(points: readonly Point[]): number[] {
  const raised: number[] = [];
  let inARow = 0;
  let baseline = { limit: Number.POSITIVE_INFINITY, until: 0 };
  let alarmed = Number.NEGATIVE_INFINITY;
  for (const { at, tlsMs } of points) {
    if (at >= baseline.until) baseline = baselineAt(points, at);
    inARow = tlsMs > baseline.limit ? inARow + 1 : 0;
    if (inARow < IN_A_ROW) continue;
    if (at - alarmed > QUIET) raised.push(at);
    alarmed = at;
  }
  return raised;
}

function baselineAt(points: readonly Point[], at: number) {
  const logs = windowOf(points, at - 24 * HOUR, at, 300).map(({ tlsMs }) => Math.log(tlsMs));
  if (logs.length < 50) return { limit: Number.POSITIVE_INFINITY, until: at + HOUR };
  const median = medianOf(logs);
  const typical = Math.exp(median);
  const limit = Math.max(Math.exp(median + Z * madOf(logs, median)), typical * (1 + RATIO), typical + MS);
  return { limit, until: at + HOUR };
}

function shifts(points: readonly Point[]): ['regression' | 'improvement', number][] {
  const raised: ['regression' | 'improvement', number][] = [];
  const first = points[0]?.at ?? 0;
  const end = points.at(-1)?.at ?? 0;
  let since = first;
  for (let at = first + 2 * WINDOW; at <= end; at += HOUR) {
    if (at - since < 2 * WINDOW) continue;
    const before = logsBetween(points, Math.max(since, at - 3 * WINDOW), at - WINDOW);
    const now = logsBetween(points, at - WINDOW, at);
    if (before.length < 60 || now.length < 20) continue;
    const median = medianOf(before);
    const moved = medianOf(now) - median;
    const ms = Math.abs(Math.exp(median + moved) - Math.exp(median));
    if (Math.abs(moved) < Math.max(SHIFT_RATIO, SHIFT_Z * madOf(before, median)) || ms < SHIFT_MS) continue;
    const last = points[points.findLastIndex((point) => point.at < at)];
    if (last) raised.push([moved > 0 ? 'regression' : 'improvement', last.at]);
    // Half of the window is of the new level already.
    since = at - WINDOW / 2;
  }
  return raised;
}

function logsBetween(points: readonly Point[], from: number, to: number): number[] {
  return windowOf(points, from, to, 300).map(({ tlsMs }) => Math.log(tlsMs));
}
