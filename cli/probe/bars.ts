import type { Result } from '#contract/result.ts';
import type { Phase } from '#contract/vocabulary.ts';
import { milliseconds, screenColumns } from './layout.ts';
import type { Paint } from './paint.ts';

/** Where each phase begins and ends, by the marks, and how it is drawn. */
const BARS: { phase: Phase; label: string; from: keyof Result['marks'] | null; colour: keyof Paint }[] = [
  { phase: 'dns', label: 'dns', from: null, colour: 'cyan' },
  { phase: 'tcp', label: 'tcp', from: 'namelookup', colour: 'green' },
  { phase: 'tls', label: 'tls', from: 'connect', colour: 'magenta' },
  { phase: 'firstByte', label: 'first byte', from: 'pretransfer', colour: 'yellow' },
  { phase: 'download', label: 'download', from: 'starttransfer', colour: 'blue' },
];

/** Columns before the bars, and those that the count of round trips takes behind them. */
const BEFORE_BARS = 25;
const BEHIND_BARS = 5;
const LEAST_BAR = 8;
const WIDEST_BAR = 48;
/** A round trip is drawn where it gets so many columns. */
const LEAST_TRIP = 2;

/** How many round trips a phase took, and how many of them need not be. */
type Trips = { took: number; wasted: number };

/**
 * The phases as bars, one below the other, cut into the round trips that they took; those that need not be are hatched.
 * `leastTls` are the round trips of TLS at best: those that this version takes, or one where another would save the rest.
 */
export function phaseBars(result: Result, paint: Paint, leastTls: number | null): string[] {
  const width = Math.max(LEAST_BAR, Math.min(WIDEST_BAR, screenColumns() - BEFORE_BARS - BEHIND_BARS));
  const scale = width / Math.max(result.marks.total ?? 0, 0.001);
  const trips = tripsOf(result, leastTls);
  const lines = BARS.map(({ phase, label, from, colour }) => {
    const duration = result.phases[phase];
    if (duration === null) return `  ${label.padEnd(11)}${milliseconds(null)}`;
    const start = Math.min(Math.round(((from && result.marks[from]) ?? 0) * scale), width - 1);
    const length = Math.min(Math.max(1, Math.round(duration * scale)), width - start);
    const own = trips[phase];
    const count = own && own.took > 0 ? paint.dim(` x${own.took}`) : '';
    const bar = paint[colour](own ? cutBar(length, own) : '█'.repeat(length));
    return `  ${label.padEnd(11)}${milliseconds(duration)}  ${' '.repeat(start)}${bar}${count}`;
  });
  const wasted = Object.values(trips).reduce((sum, own) => sum + own.wasted, 0);
  const legend =
    wasted > 0 ? [`${' '.repeat(BEFORE_BARS)}${paint.dim('█ round trips  ▒ those that need not be')}`] : [];
  return [...lines, `  ${'total'.padEnd(11)}${milliseconds(result.phases.total)}`, ...legend];
}

function tripsOf({ roundTrips }: Result, leastTls: number | null): Partial<Record<Phase, Trips>> {
  if (!roundTrips) return {};
  const { tcp, tls, firstByte, download } = roundTrips;
  const of = (took: number | null, least: number | null) =>
    took === null ? null : { took, wasted: Math.max(0, took - (least ?? took)) };
  const counted: [Phase, Trips | null][] = [
    ['tcp', of(tcp.took, tcp.expected)],
    ['tls', of(tls.took, leastTls ?? tls.expected)],
    ['firstByte', of(firstByte.took, firstByte.expected)],
    ['download', download ? of(download.took, null) : null],
  ];
  return Object.fromEntries(counted.filter(([, trips]) => trips !== null));
}

/** A bar of so many columns in as many parts as there are round trips, the last of them those that need not be. */
function cutBar(length: number, { took, wasted }: Trips): string {
  if (took === 0 || length < took * LEAST_TRIP) {
    const hatched = took === 0 ? 0 : Math.round((length * wasted) / took);
    return '█'.repeat(length - hatched) + '▒'.repeat(hatched);
  }
  const ends = Array.from({ length: took + 1 }, (_, index) => Math.round((length * index) / took));
  return ends
    .slice(1)
    .map((end, index) => {
      const columns = end - (ends[index] ?? 0);
      const block = index >= took - wasted ? '▒' : '█';
      // The last column of a round trip is half empty where another one follows.
      return index === took - 1 ? block.repeat(columns) : `${block.repeat(columns - 1)}▌`;
    })
    .join('');
}
