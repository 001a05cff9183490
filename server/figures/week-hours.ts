import { emptySummary, mergeSummary, type Summary, statisticOf } from '#analysis/summary.ts';
import type { MeasuredVariant, Metric } from '#contract/vocabulary.ts';
import { readRollups } from '#server/rollups/read.ts';
import type { WatchedTarget } from '#server/targets/target-ref.ts';
import type { Places } from '#server/vantages/labels.ts';
import { resolveRange } from './range.ts';
import { groupVantages } from './series.ts';

const HOUR = 3_600;
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const HOURS = 24;

type Asked = { from?: string; to?: string; metric: Metric; variant: MeasuredVariant; zone: string };

/** Medians by weekday, Monday first, and hour of the day; `level` is that of all. Null: nothing was measured. */
export type WeekHours = { level: number | null; values: (number | null)[][] };

/**
 * The medians of a range by the hours of the week in a time zone, over all selected vantages together, from rollups of an hour: of a zone that is
 * not whole hours from UTC an hour counts where it begins. Throws `invalid` for a range that is none.
 */
export async function readWeekHours(target: WatchedTarget, asked: Asked, places: Places): Promise<WeekHours> {
  const { metric, variant, zone } = asked;
  const range = resolveRange(asked);
  const { all, groups } = groupVantages(places, []);
  const read = { targetId: target.id, ...range, step: HOUR, metric, variant, groups: all ? null : groups };
  const cells = await readRollups(read);
  const whole = emptySummary();
  const week = DAYS.map(() => Array.from({ length: HOURS }, emptySummary));
  const placeOf = hourOfWeek(zone);
  for (const { slot, summary } of cells) {
    const { day, hour } = placeOf(slot);
    mergeSummary(week[day]?.[hour] ?? whole, summary);
  }
  for (const summary of week.flat()) mergeSummary(whole, summary);
  const median = (summary: Summary) => statisticOf(summary, metric, 'p50').value;
  return { level: median(whole), values: week.map((hours) => hours.map(median)) };
}

/** Gives the weekday (0 is Monday) and the hour of an instant (s since 1970) by the clock of a zone. */
export function hourOfWeek(zone: string): (instant: number) => { day: number; hour: number } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant * 1_000).map(({ type, value }) => [type, value]));
    return { day: DAYS.indexOf(parts.get('weekday') ?? ''), hour: Number(parts.get('hour')) };
  };
}
