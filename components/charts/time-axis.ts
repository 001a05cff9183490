import type { Scale, ScaleOptions } from 'chart.js';
import { formatTime, parseLocal } from '#i18n/time.ts';
import { colour } from './colours.ts';
import { FONT } from './common.options.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE);
const DAY_STEPS = [1, 2, 5, 10, 30, 90].map((days) => days * DAY);

/** At most `most` instants (ms) at round times of the zone's own clock, as ticks. */
export function timeTicks(from: number, to: number, zone: string, most: number): { value: number }[] {
  const step = [...STEPS, ...DAY_STEPS].find((candidate) => (to - from) / candidate <= most) ?? DAY * 365;
  const midnight = parseLocal(`${formatTime(from, zone).slice(0, 10)}T00:00`, zone) ?? from;
  const ticks: { value: number }[] = [];
  for (let value = midnight; value <= to; value += step) {
    if (value >= from) ticks.push({ value });
  }
  return ticks;
}

/** `16:00`, and at midnight the date: `11-21`. */
function tickLabel(value: number, zone: string): string {
  const text = formatTime(value, zone, 'minute');
  return text.endsWith('00:00') ? text.slice(5, 10) : text.slice(11);
}

/** The range of a time axis in ms since 1970, and the zone of its ticks. */
export type TimeAxis = { from: number; to: number; zone: string };

/** Scale of a time axis: round times of the zone's clock. */
export function timeScale(input: () => TimeAxis): ScaleOptions<'linear'> {
  return {
    type: 'linear',
    bounds: 'data',
    // The axis covers the requested range, not the range that has data: a gap at its end must be visible.
    afterDataLimits: (axis: Scale) => {
      axis.min = input().from;
      axis.max = input().to;
    },
    afterBuildTicks: (axis: Scale) => {
      const most = Math.max(3, Math.min(12, Math.floor(axis.width / 80)));
      axis.ticks = timeTicks(axis.min, axis.max, input().zone, most);
    },
    grid: { display: false },
    ticks: {
      color: () => colour('--muted'),
      font: FONT,
      maxRotation: 0,
      autoSkip: false,
      callback: (value: number | string) => tickLabel(Number(value), input().zone),
    },
  };
}
