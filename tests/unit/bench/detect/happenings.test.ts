import { describe, expect, it } from 'vitest';
import { countPages } from '../../../bench/detect/happenings.ts';
import { DAY, judged, raised, shiftLabel, spikeLabel } from './made.ts';

const start = 4 * DAY;
const one = (incident: string, more: object = {}) =>
  judged([spikeLabel()], [raised('spike', start + 60, { incident, ...more })]);

describe('pages of a world', () => {
  it('are counted by happening, mixed ones and false ones apart', () => {
    expect(countPages([one('a'), one('a')], [], [])).toMatchObject({ happenings: 1, pages: 1, whole: 1, mixed: 0 });
    expect(countPages([one('a'), one('b', { region: 'Hunan' })], [], [])).toMatchObject({
      happenings: 1,
      pages: 2,
      whole: 0,
    });
    const other = judged([shiftLabel()], [raised('regression', 6 * DAY + 60, { incident: 'a', cause: 'server' })]);
    expect(countPages([one('a'), other], [], [])).toMatchObject({ happenings: 2, pages: 2, mixed: 1, right: 1 });
    expect(countPages([judged([], [raised('spike', start)])], [], [])).toMatchObject({
      false: 1,
      falseAlone: 1,
      days: 8,
    });
  });

  it('are one where they merge within fifteen minutes, and none where a detection is a note', () => {
    const merge = (at: number) => ({ kind: 'merge' as const, at, incident: 'b', into: 'a' });
    expect(countPages([one('a'), one('b')], [merge(start + 900)], []).pages).toBe(1);
    expect(countPages([one('a'), one('b')], [merge(start + 1_000)], []).pages).toBe(2);
    expect(countPages([one('a'), one('b', { page: false })], [], []).pages).toBe(1);
    expect(countPages([one('a', { page: false })], [], []).happenings).toBe(0);
  });

  it('show one happening where a detection may be of either of two that go on on its series', () => {
    const [outer, inner] = [spikeLabel({ incident: 'outer' }), spikeLabel({ incident: 'inner', start: start + 600 })];
    const late = (region: string) => raised('spike', start + 900, { incident: 'a', change_at: start + 620, region });
    const both = judged([outer, inner], [late('Hunan')]);
    expect(countPages([both], [], [])).toMatchObject({ happenings: 1, mixed: 0 });
    expect(countPages([both, judged([outer], [late('Hubei')])], [], [])).toMatchObject({ happenings: 1, mixed: 0 });
    expect(countPages([judged([inner], [late('Hunan')]), judged([outer], [late('Hubei')])], [], [])).toMatchObject({
      happenings: 2,
      mixed: 1,
    });
  });

  it('have the cause that was said last', () => {
    expect(countPages([one('a', { cause: 'tls' })], [], [])).toMatchObject({ cause: 0, causes: 1 });
    const change = { kind: 'cause' as const, at: start + 120, incident: 'a', cause: 'network' as const };
    expect(countPages([one('a', { cause: 'tls' })], [], [change])).toMatchObject({ cause: 1, causes: 1 });
  });

  it('are trivial where all that they show is too small', () => {
    const small = spikeLabel({ effectRatio: 0.1, effectMs: 4, judged: false });
    const alarm = raised('spike', start + 60, { incident: 'a' });
    expect(countPages([judged([small], [alarm])], [], [])).toMatchObject({ trivial: 1, happenings: 1 });
  });
});
