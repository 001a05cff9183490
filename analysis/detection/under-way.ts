import type { Line } from './line.ts';
import type { ClosedSpike, Metric, OpenSpike } from './sample.ts';
import type { SpikeWatch } from './spike.ts';

/** The spikes of lines that are not over, in the order of lines. */
export function openSpikes(lines: readonly Line[]): OpenSpike[] {
  return lines.flatMap((line) =>
    watchesOf(line)
      .filter(([, { open }]) => open)
      .map(([metric, { runStart, calmStart }]) => ({
        ...line.series,
        metric,
        changeAt: runStart,
        quietSince: calmStart === 0 ? null : calmStart,
      })),
  );
}

/** The spikes of one line that have ended since this was last asked; it is known `at`. */
export function takeClosed(line: Line, at: number): ClosedSpike[] {
  return watchesOf(line).flatMap(([metric, watch]) => {
    const { endings } = watch;
    if (endings.length === 0) return [];
    watch.endings = [];
    return endings.map((ending) => ({ ...line.series, metric, ...ending, at }));
  });
}

function watchesOf({ tls, connect, firstByte, failures }: Line): [Metric, SpikeWatch][] {
  const watches: [Metric, SpikeWatch][] = [['tls', tls.spike]];
  if (connect) watches.push(['connect', connect.spike]);
  if (firstByte) watches.push(['firstByte', firstByte.spike]);
  if (failures) watches.push(['failures', failures.spike]);
  return watches;
}
