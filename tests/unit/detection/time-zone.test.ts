import { afterEach, expect, it, vi } from 'vitest';
import { offsetOfCountry } from '#server/detection/time-zone.ts';

const HOUR = 3_600;
const at = (instant: string) => Date.parse(instant) / 1_000;

afterEach(() => vi.restoreAllMocks());

it('follows the clocks of Germany over the end of summer time, to the second', () => {
  const change = at('2026-10-25T01:00:00Z');
  expect(offsetOfCountry('DE', change - 1)).toBe(2 * HOUR);
  expect(offsetOfCountry('DE', change)).toBe(HOUR);
  expect(offsetOfCountry('DE', change + 1_799)).toBe(HOUR);
});

it('takes the zone that most of the United States agree with, in winter and in summer', () => {
  expect(offsetOfCountry('US', at('2026-01-15T12:00:00Z'))).toBe(-5 * HOUR);
  expect(offsetOfCountry('US', at('2026-07-15T12:00:00Z'))).toBe(-4 * HOUR);
});

it('knows half hours, and China without a look-up', () => {
  const looked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  expect(offsetOfCountry('CN', at('2026-07-15T12:00:00Z'))).toBe(8 * HOUR);
  expect(looked).not.toHaveBeenCalled();
  expect(offsetOfCountry('IN', at('2026-07-15T12:00:00Z'))).toBe(5.5 * HOUR);
});

it('takes UTC for what is no country, or has no zone', () => {
  for (const country of ['', 'ZZ', 'nonsense', '1'])
    expect(offsetOfCountry(country, at('2026-07-15T12:00:00Z'))).toBe(0);
});

it('looks once at a half hour of a country', () => {
  const looked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  const begin = at('2026-09-01T10:00:00Z');
  offsetOfCountry('FR', begin);
  const [looks, formats] = [looked.mock.calls.length, made.mock.calls.length];
  expect(looks).toBeGreaterThan(0);
  expect(formats).toBeGreaterThan(0);
  offsetOfCountry('FR', begin + 1_799);
  expect(looked).toHaveBeenCalledTimes(looks);
  offsetOfCountry('FR', begin + 1_800);
  expect(looked.mock.calls.length).toBeGreaterThan(looks);
  expect(made).toHaveBeenCalledTimes(formats);
});

it('keeps a thousand half hours of a country', () => {
  const begin = at('2026-03-01T00:00:00Z');
  for (let index = 0; index <= 1_000; index += 1) offsetOfCountry('PL', begin + index * 1_800);
  const looked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  offsetOfCountry('PL', begin + 1_000 * 1_800);
  expect(looked).not.toHaveBeenCalled();
  offsetOfCountry('PL', begin);
  expect(looked).toHaveBeenCalled();
});
