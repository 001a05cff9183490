import { beforeAll, describe, expect, it } from 'vitest';
import { readWeekHours } from '#server/figures/week-hours.ts';
import { readPlaces } from '#server/vantages/labels.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { storeTwoPlaces } from '../support/two-places.ts';

const HOUR = 3_600_000;
const WEDNESDAY_ROW = 2;
/** Midnight of that Wednesday, UTC. */
const midnight = Math.floor(WEDNESDAY / (24 * HOUR)) * 24 * HOUR;

let target: { id: string; demo: boolean };
prepareTestDatabase();
beforeAll(async () => {
  // From noon (UTC) on, two hours of two Wednesdays: 20 ms in Beijing and 30 in Guangdong, and 60 in the very last.
  const hours = [-7 * 24, 0].flatMap((week) => [week + 12, week + 13]);
  const instants = hours.flatMap((hour) => [5, 25, 45].map((minute) => midnight + hour * HOUR + minute * 60_000));
  target = await storeTwoPlaces(instants, (at, place) => (at >= midnight + 13 * HOUR ? 60 : 20 + 10 * place));
});

const iso = (hours: number) => new Date(midnight + hours * HOUR).toISOString();
const eightDays = { metric: 'tls', variant: 'main', from: iso(-7 * 24), to: iso(24) } as const;
const read = async (zone: string, filter: { region?: string[] } = {}) =>
  readWeekHours(target, { ...eightDays, zone }, await readPlaces(filter));

/** What was measured, by row and column. */
const measured = (values: (number | null)[][]) =>
  values.flatMap((hours, day) =>
    hours.flatMap((value, hour) => (value === null ? [] : [[day, hour, Math.round(value)]])),
  );

describe('the hours of a week', () => {
  it('have the medians of all their results, from Monday on, and the level of all', async () => {
    const { level, values } = await read('UTC', { region: ['CN-BJ'] });
    expect(values.map((hours) => hours.length)).toEqual(Array(7).fill(24));
    expect(level).toBeCloseTo(20, 0);
    // Of six results from 13:00 on, three took 20 ms and three 60.
    expect(measured(values)).toEqual([
      [WEDNESDAY_ROW, 12, 20],
      [WEDNESDAY_ROW, 13, 20],
    ]);
    const all = await read('UTC');
    expect(measured(all.values)).toEqual([
      [WEDNESDAY_ROW, 12, 20],
      [WEDNESDAY_ROW, 13, 30],
    ]);
  });

  it('are those of a zone’s own clock, on its own days', async () => {
    const shanghai = await read('Asia/Shanghai');
    expect(measured(shanghai.values).map(([day, hour]) => [day, hour])).toEqual([
      [WEDNESDAY_ROW, 20],
      [WEDNESDAY_ROW, 21],
    ]);
    const kiritimati = await read('Pacific/Kiritimati');
    expect(measured(kiritimati.values).map(([day, hour]) => [day, hour])).toEqual([
      [WEDNESDAY_ROW + 1, 2],
      [WEDNESDAY_ROW + 1, 3],
    ]);
  });

  it('are empty where nothing was measured', async () => {
    const { level, values } = await read('UTC', { region: ['CN-XZ'] });
    expect([level, values.flat().every((value) => value === null)]).toEqual([null, true]);
  });
});
