import { expect, it } from 'vitest';
import type { Detection, GroupId } from '#analysis/detection/detection.ts';
import { createDetector } from '#analysis/detection/detector.ts';
import type { SeriesSample } from '#analysis/detection/sample.ts';
import { PAST_ORIGINS } from '#demo/past/paths.ts';
import { drawPast } from '#demo/past/series.ts';
import { pastBefore } from '#demo/past/window.ts';
import { DEMO_VANTAGES } from '#demo/places.ts';
import { isLong } from '../../support/extent.ts';

const nameOf = (group: GroupId) =>
  `${group.cause}/${group.cause === 'network' ? group.carrier : group.target}/${group.changeAt}`;

it.runIf(isLong)("the demo's past is at most eleven pages of its nine things", { timeout: 600_000 }, () => {
  const window = pastBefore(Date.UTC(2026, 10, 21, 9, 30, 42));
  const detector = createDetector({ spikesOn: ['tls', 'tcp', 'firstByte', 'failures'] });
  const byTime = new Map<number, SeriesSample[]>();
  for (const origin of PAST_ORIGINS)
    for (const [number, { region, carrier }] of DEMO_VANTAGES.entries()) {
      const index = detector.indexOf({ target: origin.key, vantage: `${number}`, country: 'CN', region, carrier });
      for (const { at, ok, tcpMs, tlsMs, firstByteMs } of drawPast(origin, { region, carrier }, window).samples) {
        const sample = { timestamp: at, tcp: tcpMs, tls: tlsMs, firstByte: firstByteMs, ok };
        const same = byTime.get(at);
        if (same) same.push({ index, sample });
        else byTime.set(at, [{ index, sample }]);
      }
    }
  const found: Detection[] = [];
  const into = new Map<string, string>();
  for (const [at, samples] of [...byTime].sort(([a], [b]) => a - b)) {
    found.push(...detector.advance(at, samples));
    for (const change of detector.changes())
      if (change.kind === 'merge') into.set(nameOf(change.group), nameOf(change.into));
  }
  const rootOf = (page: string): string => (into.has(page) ? rootOf(into.get(page) as string) : page);
  const pages = Map.groupBy(
    found.filter(({ at, page }) => page && at >= window.from + 3 * 86_400),
    ({ group }) => rootOf(nameOf(group)),
  );
  expect(pages.size).toBeGreaterThanOrEqual(9);
  expect(pages.size).toBeLessThanOrEqual(11);
  // Of 93 series: one target became slower and one faster, one slower for two days; and a way of 15 series longer for a day and a half.
  const lasting = found.filter(({ kind, at }) => kind !== 'spike' && at >= window.from + 3 * 86_400);
  expect(lasting.length).toBeGreaterThan(0.95 * (4 * 93 + 2 * 15));
  expect(lasting.length).toBeLessThan(1.02 * (4 * 93 + 2 * 15));
});
