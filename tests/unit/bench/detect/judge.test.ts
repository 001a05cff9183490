import { describe, expect, it } from 'vitest';
import { DAY, HOUR, judged, outcomes, raised, shiftLabel, spikeLabel } from './made.ts';

describe('a spike', () => {
  const start = 4 * DAY;

  it('is right from its start to its end and two periods more', () => {
    expect(outcomes([spikeLabel()], [raised('spike', start)])).toEqual(['right']);
    expect(outcomes([spikeLabel()], [raised('spike', start + HOUR + 120)])).toEqual(['right']);
    expect(outcomes([spikeLabel()], [raised('spike', start + HOUR + 121)])).toEqual(['false']);
    expect(outcomes([spikeLabel()], [raised('spike', start - 1)])).toEqual(['false']);
  });

  it('is raised once: a repeat is a false alarm', () => {
    const twice = [raised('spike', start + 600), raised('spike', start + 1_800)];
    expect(outcomes([spikeLabel()], twice)).toEqual(['right', 'repeat']);
    expect(outcomes([spikeLabel()], twice.toReversed())).toEqual(['right', 'repeat']);
  });

  it('is missed without an alert, and no regression nor improvement', () => {
    expect(judged([spikeLabel()], []).missed).toHaveLength(1);
    const wrong = judged([spikeLabel()], [raised('regression', start + 600), raised('improvement', start + 3_700)]);
    expect(wrong.verdicts.map(({ outcome }) => outcome)).toEqual(['false', 'false']);
    expect(wrong.missed).toHaveLength(1);
  });

  it('that is too small is not judged either way, however often it is raised', () => {
    const small = spikeLabel({ judged: false, notJudged: 'small' });
    const { verdicts, missed } = judged([small], [raised('spike', start + 60), raised('spike', start + 90)]);
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['ignored', 'ignored']);
    expect(missed).toEqual([]);
  });

  it('counts the samples up to the alert', () => {
    expect(judged([spikeLabel()], [raised('spike', start + 120)]).verdicts[0]?.samples).toBe(3);
  });
});

describe('a lasting change', () => {
  const start = 6 * DAY;

  it('is right within 24 hours, in its direction, once', () => {
    expect(outcomes([shiftLabel()], [raised('regression', start + 24 * HOUR)])).toEqual(['right']);
    expect(outcomes([shiftLabel()], [raised('regression', start + 24 * HOUR + 1)])).toEqual(['false']);
    expect(outcomes([shiftLabel()], [raised('regression', start - 1)])).toEqual(['false']);
    expect(outcomes([shiftLabel()], [raised('improvement', start + HOUR)])).toEqual(['false']);
    const twice = [raised('regression', start + 4 * HOUR), raised('regression', start + 9 * HOUR)];
    expect(outcomes([shiftLabel()], twice)).toEqual(['right', 'repeat']);
  });

  it('may be announced by a spike alert in the first six hours of a step upwards, not of one downwards', () => {
    const early = raised('spike', start + 6 * HOUR);
    expect(outcomes([shiftLabel()], [early, raised('spike', start + 6 * HOUR + 1)])).toEqual(['ignored', 'false']);
    expect(outcomes([shiftLabel({ kind: 'improvement', effectMs: -12 })], [early])).toEqual(['false']);
    const back = shiftLabel({ judged: false, notJudged: 'rollback' });
    expect(outcomes([back], [early])).toEqual(['ignored']);
  });

  it('does not excuse a spike that is a labelled one: it is right', () => {
    const inside = spikeLabel({ start: start + HOUR, end: start + 2 * HOUR });
    expect(outcomes([shiftLabel(), inside], [raised('spike', start + HOUR + 300)])).toEqual(['right']);
  });

  it('is not judged either way when it is a rollback or small', () => {
    for (const notJudged of ['rollback', 'small', 'short', 'late'] as const) {
      const event = shiftLabel({ kind: 'improvement', judged: false, notJudged });
      expect(outcomes([event], [raised('improvement', start + 5 * HOUR)])).toEqual(['ignored']);
      expect(outcomes([event], [raised('regression', start + 5 * HOUR)])).toEqual(['false']);
      expect(judged([event], []).missed).toEqual([]);
    }
  });
});

describe('what is no event', () => {
  const drift = shiftLabel({ kind: 'drift', end: 8 * DAY, judged: false, notJudged: 'noise', cause: null });

  it('is a slow drift: not judged in its direction until a day after its end', () => {
    expect(outcomes([drift], [raised('regression', 7 * DAY), raised('regression', 9 * DAY)])).toEqual([
      'ignored',
      'ignored',
    ]);
    expect(outcomes([drift], [raised('regression', 9 * DAY + 1), raised('improvement', 7 * DAY)])).toEqual([
      'false',
      'false',
    ]);
    expect(outcomes([drift], [raised('spike', 7 * DAY)])).toEqual(['false']);
  });

  it('is odd samples, variance, DNS and first byte: an alert is false', () => {
    for (const kind of ['odd', 'variance', 'dns', 'first-byte', 'failures'] as const) {
      const noise = spikeLabel({ kind, judged: false, notJudged: 'noise', cause: null });
      expect(outcomes([noise], [raised('spike', 4 * DAY + 60)]), kind).toEqual(['false']);
    }
  });

  it('is the warm-up: nothing raised in it counts', () => {
    expect(outcomes([], [raised('spike', 2 * DAY - 1), raised('spike', 2 * DAY)])).toEqual(['ignored', 'false']);
  });
});
