import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectOf, isShown, peakOf } from '#server/incidents/effect.ts';
import { levelOf } from '#server/incidents/follow.ts';
import { cellOf, type StoredCell } from '#server/incidents/stored-incident.ts';

const cell = (beforeMs: number | null, afterMs: number | null, more: Partial<StoredCell> = {}): StoredCell => ({
  ...cellOf({
    targetId: '01970000-0000-7000-8000-000000000001',
    vantageId: '01970000-0000-7000-8000-000000000002',
    region: 'CN-BJ',
    carrier: 'telecom',
    kind: 'spike',
    metric: 'tls',
    at: new Date('2026-11-20T12:00:00Z'),
    beforeMs,
    afterMs,
  }),
  ...more,
});

describe('an effect', () => {
  it('is the median of cells that have both levels, of TLS time where that moved', () => {
    const cells = [
      cell(50, 100),
      cell(50, 110),
      cell(null, 900),
      cell(50, 130),
      cell(10, 500, { metric: 'firstByte' }),
    ];
    expect(effectOf(cells)).toEqual({ effectMs: 60, effectRatio: expect.closeTo(1.2, 6) });
    expect(effectOf([cell(0, 0.5, { metric: 'failures' })])).toEqual({ effectMs: null, effectRatio: null });
  });

  it('is shown from 20% and 9 ms on for spikes, from 5% and 3 ms on for what lasts, with the sign of its kind', () => {
    expect(isShown('spike', [cell(40, 50)])).toBe(true);
    expect(isShown('spike', [cell(45, 53.9)])).toBe(false);
    expect(isShown('spike', [cell(100, 119)])).toBe(false);
    expect(isShown('spike', [cell(100, 50)])).toBe(false);
    expect(isShown('regression', [cell(60, 63)])).toBe(true);
    expect(isShown('regression', [cell(60, 62.9)])).toBe(false);
    expect(isShown('regression', [cell(100, 104)])).toBe(false);
    expect(isShown('improvement', [cell(60, 57)])).toBe(true);
    expect(isShown('improvement', [cell(57, 60)])).toBe(false);
  });

  it('is of the cells that are large enough by themselves: who joins by a little, or by chance, does not shrink it', () => {
    const joined = [cell(50, 110), cell(50, 106), cell(50, 55), cell(50, 51), cell(50, 48)];
    expect(effectOf(joined)).toEqual({ effectMs: 58, effectRatio: expect.closeTo(1.16, 6) });
    expect(isShown('spike', joined)).toBe(true);
    // None is large: what has the sign of its kind, and that is no incident.
    expect(effectOf([cell(50, 55), cell(50, 51), cell(50, 48)]).effectMs).toBe(3);
    expect(isShown('spike', [cell(50, 55), cell(50, 51), cell(50, 48)])).toBe(false);
    expect(isShown('spike', [cell(50, 48)])).toBe(false);
    expect(effectOf([cell(57, 50, { kind: 'improvement' }), cell(57, 60, { kind: 'improvement' })]).effectMs).toBe(-7);
  });

  it('is of the cells that have not recovered, of all where all have: as its levels and its place are', () => {
    const over = { recoveredAt: '2026-11-20T12:30:00.000Z' };
    const recovered = Array.from({ length: 29 }, () => cell(50, 250, { peakMs: 300, ...over }));
    const lasting = cell(50, 80, { peakMs: 95 });
    expect(effectOf([...recovered, lasting])).toEqual({ effectMs: 30, effectRatio: expect.closeTo(0.6, 6) });
    expect(peakOf([...recovered, lasting])).toBe(45);
    expect(effectOf([...recovered, { ...lasting, ...over }]).effectMs).toBe(200);
    expect(peakOf([...recovered, { ...lasting, ...over }])).toBe(250);
  });

  it('of an open spike never has the sign of an improvement, whatever is measured while it lasts', () => {
    const level = fc.double({ min: 5, max: 300, noNaN: true });
    fc.assert(
      fc.property(
        level,
        fc.array(level, { minLength: 1, maxLength: 30 }),
        fc.array(level, { maxLength: 8 }),
        (before, measured, joining) => {
          let cells = [cell(before, before * 1.5 + 10), ...joining.map((after) => cell(before, after))];
          for (const after of measured) {
            cells = cells.map((each, index) =>
              index === 0 ? { ...each, ...levelOf(each, { after, peak: after }) } : each,
            );
            const { effectMs, effectRatio } = effectOf(cells);
            if (effectMs === null || effectRatio === null || effectMs < 9 || effectRatio < 0.2) return false;
          }
          return true;
        },
      ),
    );
  });

  it('that is not known is shown: failures have no milliseconds, and history no results', () => {
    expect(isShown('spike', [cell(0, 0.5, { metric: 'failures' })])).toBe(true);
    expect(isShown('regression', [cell(null, null)])).toBe(true);
  });

  it('has a peak, in ms above the level before', () => {
    expect(peakOf([cell(50, 100, { peakMs: 150 }), cell(50, 100, { peakMs: 170 })])).toBe(110);
    expect(peakOf([cell(50, 100)])).toBeNull();
  });
});

describe('the level of a cell that is followed', () => {
  it('is what was measured, and its peak the highest so far', () => {
    expect(levelOf(cell(50, 100, { peakMs: 160 }), { after: 90, peak: 120 })).toMatchObject({
      afterMs: 90,
      peakMs: 160,
    });
    expect(levelOf(cell(50, 100), { after: 120, peak: 180 })).toMatchObject({ afterMs: 120, peakMs: 180 });
    expect(levelOf(cell(50, 100), undefined)).toMatchObject({ afterMs: 100, peakMs: null });
  });

  it('does not fall below what is shown while usual results come between', () => {
    expect(levelOf(cell(50, 107), { after: 51.5, peak: 110 })).toMatchObject({ afterMs: 107, peakMs: 110 });
    expect(levelOf(cell(50, 107), { after: 48, peak: 110 })).toMatchObject({ afterMs: 107, peakMs: 110 });
  });
});
