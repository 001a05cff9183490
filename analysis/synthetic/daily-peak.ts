import { Random } from './random.ts';
import type { SeriesModel } from './series-model.ts';

const DAY = 86_400;
/** China keeps UTC+8 all year; a day of use ends at four in the morning. */
const OFFSET = (8 - 4) * 3_600;
const FIRST_HOUR = 4;

/**
 * The share by which a series' round trip is longer for the evening, by epoch seconds: earlier and wider on weekends, of
 * another height, and no two evenings alike.
 */
export function dailyPeakOf(model: SeriesModel): (at: number) => number {
  const { dailyPeak } = model;
  const carrier = new Random(model.carrierSeed);
  let day = Number.NaN;
  let height = 0;
  let middle = 0;
  let width = 1;
  const turnTo = (next: number) => {
    day = next;
    const weekend = isWeekend(day);
    height =
      (weekend ? dailyPeak.weekend : dailyPeak.weekday) * carrier.fork(`evening ${day}`).factor(model.dailyPeakVariety);
    middle = weekend ? dailyPeak.hour - 0.7 : dailyPeak.hour;
    width = weekend ? dailyPeak.widthHours * 1.5 : dailyPeak.widthHours;
  };
  return (at) => {
    const local = at + OFFSET;
    const today = Math.floor(local / DAY);
    if (today !== day) turnTo(today);
    const hour = (local - today * DAY) / 3_600 + FIRST_HOUR;
    const distance = Math.abs(hour - middle) / width;
    return distance >= 1 ? 0 : height * 0.5 * (1 + Math.cos(Math.PI * distance));
  };
}

/** 1970-01-01 was a Thursday. */
function isWeekend(day: number): boolean {
  const weekday = (day + 4) % 7;
  return weekday === 0 || weekday === 6;
}
