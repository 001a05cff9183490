import type { Detection } from '../detection.ts';
import type { Detector } from '../detector.ts';
import type { Series } from '../world/world.ts';
import { deviationOf, meanOf, type Point, windowOf } from './levels.ts';

const HOUR = 3_600;

/** Means of two windows side by side: what a rule "the last N against the N before" does. */
export const twoWindowDetector: Detector = {
  name: 'two windows',
  detect: (world) => ({ detections: world.flatMap(detect), ms: null }),
};

type Windows = {
  kind: 'spike' | 'shift';
  now: number;
  before: number;
  ratio: number;
  ms: number;
  z: number;
  every: number;
  quiet: number;
};

const SPIKE: Windows = {
  kind: 'spike',
  now: 900,
  before: 6 * HOUR,
  ratio: 0.3,
  ms: 15,
  z: 3,
  every: 300,
  quiet: 3 * HOUR,
};
const SHIFT: Windows = {
  kind: 'shift',
  now: 12 * HOUR,
  before: 24 * HOUR,
  ratio: 0.1,
  ms: 3,
  z: 4,
  every: HOUR,
  quiet: 24 * HOUR,
};

function detect({ label, samples }: Series): Detection[] {
  const points = samples.flatMap((sample) => (sample.ok ? [sample] : []));
  const { target, region, carrier } = label;
  return [SPIKE, SHIFT].flatMap((windows) =>
    steps(points, windows).map(({ at, up }) => ({
      target,
      region,
      carrier,
      kind: windows.kind === 'spike' ? ('spike' as const) : up ? ('regression' as const) : ('improvement' as const),
      at,
      cause: 'network' as const,
      incident: `${target} ${region} ${carrier} ${at}`,
    })),
  );
}

function steps(points: readonly Point[], windows: Windows): { at: number; up: boolean }[] {
  const raised: { at: number; up: boolean }[] = [];
  const end = points.at(-1)?.at ?? 0;
  let quietUntil = 0;
  for (let at = (points[0]?.at ?? 0) + windows.now + windows.before; at <= end; at += windows.every) {
    if (at < quietUntil) continue;
    const now = windowOf(points, at - windows.now, at, 100).map(({ tlsMs }) => tlsMs);
    const before = windowOf(points, at - windows.now - windows.before, at - windows.now, 100).map(({ tlsMs }) => tlsMs);
    if (now.length < 3 || before.length < 10) continue;
    const mean = meanOf(before);
    const moved = meanOf(now) - mean;
    const error = deviationOf(before, mean) / Math.sqrt(now.length);
    const size = windows.kind === 'spike' ? moved : Math.abs(moved);
    if (size < windows.ratio * mean || size < windows.ms || size < windows.z * error) continue;
    raised.push({ at, up: moved > 0 });
    quietUntil = at + windows.quiet;
  }
  return raised;
}
