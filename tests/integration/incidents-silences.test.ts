import { describe, expect, it } from 'vitest';
import { isActive, nextBeginning, type Times } from '#server/incidents/silences.ts';

const since = (iso: string) => new Date(iso);
const weekly = (over: Partial<Times>): Times => ({
  startsAt: since('2026-01-01T00:00:00Z'),
  endsAt: null,
  cron: '30 2 * * *',
  durationMinutes: 60,
  timeZone: 'Europe/Berlin',
  ...over,
});
/** At which of these instants a silence holds. */
const held = (times: Times, instants: string[]) => instants.filter((instant) => isActive(times, since(instant)));

describe('a window of maintenance by cron', () => {
  it('keeps to the clock of its time zone when that is changed', () => {
    // 02:30 in Berlin is 01:30 UTC in winter and 00:30 UTC in summer.
    const winter = ['2026-03-28T01:29:59Z', '2026-03-28T01:30:00Z', '2026-03-28T02:29:59Z', '2026-03-28T02:30:00Z'];
    expect(held(weekly({}), winter)).toEqual([winter[1], winter[2]]);
    const summer = ['2026-03-30T00:29:59Z', '2026-03-30T00:30:00Z', '2026-03-30T01:29:59Z', '2026-03-30T01:30:00Z'];
    expect(held(weekly({}), summer)).toEqual([summer[1], summer[2]]);
  });

  it('is not left out on the day on which its hour does not exist, and lasts as long as ever', () => {
    // On 2026-03-29 the clock goes from 02:00 to 03:00 at 01:00 UTC: there is no 02:30, and it begins at 03:00.
    const minutes = Array.from({ length: 360 }, (_, minute) =>
      new Date(Date.UTC(2026, 2, 28, 23, minute)).toISOString(),
    );
    expect(held(weekly({}), minutes)).toHaveLength(60);
    const next = nextBeginning(weekly({}), since('2026-03-28T12:00:00Z'));
    expect(next?.toISOString()).toBe('2026-03-29T01:00:00.000Z');
  });

  it('comes once on the day on which its hour comes twice', () => {
    // On 2026-10-25 the clock goes from 03:00 back to 02:00 at 01:00 UTC: 02:30 is at 00:30 and at 01:30 UTC.
    const minutes = Array.from({ length: 360 }, (_, minute) =>
      new Date(Date.UTC(2026, 9, 24, 22, minute)).toISOString(),
    );
    expect(held(weekly({}), minutes)).toHaveLength(60);
  });

  it('holds over midnight, and over several days', () => {
    const weekend = weekly({ cron: '0 22 * * 5', durationMinutes: 3_000, timeZone: 'Asia/Shanghai' });
    // Friday 22:00 in Shanghai is 14:00 UTC; 50 hours later it is Sunday, 16:00 UTC.
    const instants = ['2026-11-20T13:59:00Z', '2026-11-20T14:00:00Z', '2026-11-21T20:00:00Z', '2026-11-22T15:59:00Z'];
    expect(held(weekend, [...instants, '2026-11-22T16:00:00Z'])).toEqual(instants.slice(1));
  });

  it('is never compared with a date that is none: it would hold for ever', () => {
    const endless = weekly({ cron: null, endsAt: new Date(Number.NaN) });
    expect(() => isActive(endless, since('2026-03-28T01:30:00Z'))).toThrow('an invalid date');
  });

  it('begins and ends with its silence', () => {
    const bounded = weekly({
      cron: '0 * * * *',
      timeZone: 'UTC',
      startsAt: since('2026-11-20T10:30:00Z'),
      endsAt: since('2026-11-20T12:15:00Z'),
      durationMinutes: 30,
    });
    const instants = ['2026-11-20T10:20:00Z', '2026-11-20T11:10:00Z', '2026-11-20T12:10:00Z', '2026-11-20T12:20:00Z'];
    expect(held(bounded, instants)).toEqual([instants[1], instants[2]]);
    expect(nextBeginning(bounded, since('2026-11-20T12:10:00Z'))).toBeNull();
  });
});
