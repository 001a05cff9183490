import path from 'node:path';
import { ROOT } from '#cli/dist.mjs';

// Tests build their data about these instants, never about the real clock's hour, weekday, day or zone: what a daily shape,
// a partition or a bucket makes of them is then the same at whatever hour the tests run. Milliseconds since 1970. What a
// real process judges by its own clock is dated back from now instead, and `npm run test:clock` shows that this is enough.

/** An ordinary Wednesday, 14:00 in China: whole by UTC in hours, in ten minutes and in minutes, and long over. */
export const WEDNESDAY = Date.parse('2026-10-14T06:00:00Z');

/** Friday of the same week, 20:00 in China: four working days lie before it, then a weekend. */
export const FRIDAY = Date.parse('2026-10-16T12:00:00Z');

/** Instants at which calendars do something, on purpose. */
export const CALENDAR: [string, number][] = [
  ['an ordinary week', FRIDAY],
  ['a Saturday in China that is a Friday by UTC', Date.parse('2026-10-16T17:00:00Z')],
  ['a Sunday', Date.parse('2026-10-18T01:00:00Z')],
  ['the end of a month and a year', Date.parse('2027-01-01T00:00:00Z')],
  ['the end of 29 February', Date.parse('2028-03-01T01:00:00Z')],
  ['summer time’s end in New York', Date.parse('2027-11-07T07:00:00Z')],
];

/** What is given to a Node that is started so that its clock is this much ahead of the real one. */
export const clockAhead = (ms: number) => ({
  env: { CLOCK_AHEAD_MS: String(ms) },
  execArgv: ['--import', path.join(ROOT, 'tests/support/clock-ahead.mjs')],
});

/** Whether libfaketime sets the clock of this process and of all that it starts but Go programs, which ask the kernel. */
export const CLOCK_IS_SET = process.env.FAKETIME !== undefined;

/**
 * Whether it sets the clock ahead. While PostgreSQL waits, its timer then reads the real clock (libfaketime unsets the clock
 * within `epoll_wait`), so that none of its time-outs is ever due.
 */
export const CLOCK_IS_SET_AHEAD = process.env.FAKETIME?.startsWith('+') ?? false;
