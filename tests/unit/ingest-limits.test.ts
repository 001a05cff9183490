import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { allowanceOf, MAX_WINDOWS, NEW_STRINGS_AN_HOUR, windowOf } from '#server/ingest/limits.ts';
import { formerAfter, lateMeasured, MAX_FORMER } from '#server/targets/former.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const HOUR = 3_600_000;
const vantage = makeVantage('CN-GD', 'telecom');
const at = Date.parse('2026-11-18T08:00:00Z');
const target = (periodSeconds: number) => ({ id: v7(), demo: false, deleted: false, urls: [], periodSeconds });

describe('the window of a result', () => {
  it.each([
    [10, 1, 1_080],
    [60, 1, 180],
    [720, 2, 30],
    [3_600, 10, 30],
  ])('of a check of %i s is %i h long and holds %i', (period, hours, most) => {
    const check = target(period);
    const begin = Math.floor(at / (hours * HOUR)) * hours * HOUR;
    const of = (startedAt: number) => windowOf(makeResult({ targetId: check.id, vantage, startedAt }), check);
    expect(of(begin).most).toBe(most);
    expect(of(begin + hours * HOUR - 1)).toBe(of(begin));
    expect(of(begin + hours * HOUR)).not.toBe(of(begin));
    expect(of(begin - 1)).not.toBe(of(begin));
  });

  it('grows at once where the period is shortened within it, and keeps its count', () => {
    const slow = target(60);
    const of = (check: typeof slow) =>
      windowOf(makeResult({ targetId: slow.id, vantage, startedAt: at + 600_000 }), check);
    of(slow).stored = 10;
    expect(of({ ...slow, periodSeconds: 10 })).toMatchObject({ stored: 10, most: 1_080 });
    expect(of(slow).most).toBe(1_080);
  });

  it('is forgotten where there are too many, the oldest first', () => {
    const check = target(60);
    const made = makeResult({ targetId: check.id, vantage, startedAt: at });
    const of = (hour: number) => windowOf({ ...made, startedAt: new Date(at + hour * HOUR).toISOString() }, check);
    const first = of(0);
    for (let hour = 1; hour < MAX_WINDOWS; hour += 1) of(hour);
    const last = of(MAX_WINDOWS);
    expect(of(MAX_WINDOWS)).toBe(last);
    expect(of(0)).not.toBe(first);
  });
});

describe('what a prober may add', () => {
  it('is its own, and whole again in the next hour', () => {
    const [one, other] = [v7(), v7()];
    allowanceOf(one, at).strings -= 500;
    expect(allowanceOf(one, at + HOUR - 1).strings).toBe(NEW_STRINGS_AN_HOUR - 500);
    expect(allowanceOf(other, at).strings).toBe(NEW_STRINGS_AN_HOUR);
    expect(allowanceOf(one, at + HOUR).strings).toBe(NEW_STRINGS_AN_HOUR);
  });
});

describe('what a target was', () => {
  const now = (url: string, former: unknown = [], periodSeconds = 60) => ({ url, periodSeconds, former });

  it('is remembered where the URL or the period changes, and only then', () => {
    const same = formerAfter(now('https://a.example/'), now('https://a.example/'));
    expect(same).toEqual([]);
    const moved = formerAfter(now('https://a.example/', [], 10), now('https://b.example/'));
    expect(lateMeasured(now('https://b.example/', moved))).toEqual({
      urls: ['https://b.example/', 'https://a.example/'],
      periodSeconds: 10,
    });
  });

  it('is forgotten after 30 days, or where there is too much of it', () => {
    const until = new Date(Date.now() - 31 * 24 * HOUR).toISOString();
    const old = [{ url: 'https://old.example/', periodSeconds: 10, until }];
    expect(lateMeasured(now('https://a.example/', old))).toEqual({ urls: ['https://a.example/'], periodSeconds: 60 });
    let former: unknown = old;
    for (let n = 0; n < MAX_FORMER + 50; n += 1)
      former = formerAfter(now(`https://${n}.example/`, former), now(`https://${n + 1}.example/`));
    const { urls } = lateMeasured(now('https://now.example/', former));
    expect([urls.length, urls[1]]).toEqual([MAX_FORMER + 1, `https://${MAX_FORMER + 49}.example/`]);
  });
});
