import { describe, expect, it } from 'vitest';
import { casesOf } from '../../../bench/detect/cases.ts';
import { compareAt } from '../../../bench/detect/causality.ts';
import { quantileOf, score } from '../../../bench/detect/scores.ts';
import { DAY, HOUR, judged, raised, seriesLabel, shiftLabel, spikeLabel } from './made.ts';

const start = 4 * DAY;

describe('scores', () => {
  it('are precision, recall and F1, false alarms by week, delays and distance of the onset', () => {
    const second = spikeLabel({ start: 5 * DAY, end: 5 * DAY + HOUR, incident: 'spike-2' });
    const detections = [
      raised('spike', start + 300),
      raised('spike', 9 * DAY),
      raised('regression', 6 * DAY + 5 * HOUR, { cause: 'server', change_at: 6 * DAY - 600 }),
    ];
    const { spikes, shifts, seriesWeeks, cause } = score([judged([spikeLabel(), second, shiftLabel()], detections)]);
    expect(seriesWeeks).toBeCloseTo(8 / 7);
    expect(spikes).toMatchObject({ events: 2, right: 1, falseAlarms: 1, precision: 0.5, recall: 0.5, f1: 0.5 });
    expect(spikes).toMatchObject({ delayMinutes: 5, delaySamples: 6, onsetMinutes: null });
    expect(spikes.falsePerSeriesWeek).toBeCloseTo(7 / 8);
    expect(shifts).toMatchObject({ events: 1, precision: 1, recall: 1, f1: 1, delayMinutes: 300, onsetMinutes: 10 });
    expect(cause).toBe(1);
  });

  it('are null where there is nothing to divide by', () => {
    const { spikes, cause, pages } = score([judged([], [])]);
    expect(spikes).toMatchObject({
      precision: null,
      recall: null,
      f1: null,
      delayMinutes: null,
      falsePerSeriesWeek: 0,
    });
    expect(cause).toBeNull();
    expect(pages).toEqual({ pages: 0, incidents: 0, perIncident: null, precision: null, mixed: null });
  });

  it('ask for the cause only where it can be told', () => {
    const wrong = raised('spike', start + 60, { cause: 'tls' });
    expect(score([judged([spikeLabel()], [wrong])])).toMatchObject({ cause: 0, causes: 1 });
    expect(score([judged([spikeLabel({ causeJudged: false })], [wrong])])).toMatchObject({ cause: null, causes: 0 });
  });

  it('take quantiles between values', () => {
    expect(quantileOf([1, 4, 2], 0.5)).toBe(2);
    expect(quantileOf([1, 2], 0.5)).toBe(1.5);
    expect(quantileOf([], 0.5)).toBeNull();
  });
});

describe('pages', () => {
  const one = judged([spikeLabel()], [raised('spike', start + 60, { incident: 'a' })]);
  const on = (incident: string) => judged([spikeLabel()], [raised('spike', start + 120, { incident })]);

  it('are one for an incident whose cells carry the same string', () => {
    expect(score([one, on('a')]).pages).toMatchObject({ pages: 1, incidents: 1, perIncident: 1, precision: 1 });
    expect(score([one, on('b')]).pages).toMatchObject({ pages: 2, incidents: 1, perIncident: 2, precision: 1 });
  });

  it('are wrong with nothing right on them, and mixed with cells of two incidents', () => {
    const wrong = judged([], [raised('spike', start, { incident: 'c' })]);
    expect(score([one, wrong]).pages).toMatchObject({ pages: 2, precision: 0.5 });
    const other = judged([spikeLabel({ incident: 'spike-2' })], [raised('spike', start + 60, { incident: 'a' })]);
    expect(score([one, other]).pages).toMatchObject({ pages: 1, incidents: 2, perIncident: 1, mixed: 1 });
  });

  it('are of their own without a string, and none when all on them is ignored', () => {
    const alone = judged([spikeLabel()], [raised('spike', start + 60, { incident: undefined })]);
    expect(score([one, alone]).pages).toMatchObject({ pages: 2, perIncident: 2 });
    const early = judged([shiftLabel()], [raised('spike', 6 * DAY + HOUR, { incident: 'd' })]);
    expect(score([early]).pages).toMatchObject({ pages: 0, precision: null });
  });
});

describe('cases', () => {
  it('bring labels and detections of one series together, and refuse a detection of none', () => {
    const other = seriesLabel({ region: 'Hunan' });
    const cases = casesOf([seriesLabel(), other, spikeLabel()], [raised('spike', start)]);
    expect(cases.map(({ events, detections }) => [events.length, detections.length])).toEqual([
      [1, 1],
      [0, 0],
    ]);
    expect(() => casesOf([other], [raised('spike', start)])).toThrow('no series t1.example/Hubei/unicom');
  });
});

describe('causality', () => {
  const [early, late] = [raised('spike', 100), raised('spike', 200)];

  it('holds when all up to the cut is the same, in any order of lines and keys', () => {
    const turned = Object.fromEntries(Object.entries(early).reverse()) as typeof early;
    expect(compareAt(150, [late, early], [turned])).toEqual([]);
  });

  it('fails for what appears, disappears, changes or is dated after the cut', () => {
    expect(compareAt(150, [early], [])).toMatchObject([{ only: 'whole' }]);
    expect(compareAt(150, [early], [early, early])).toMatchObject([{ only: 'cut' }]);
    expect(compareAt(150, [early], [{ ...early, cause: 'tls' }])).toMatchObject([{ only: 'whole' }, { only: 'cut' }]);
    expect(compareAt(150, [], [late])).toMatchObject([{ only: 'cut' }]);
  });
});
