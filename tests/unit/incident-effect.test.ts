import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectOf, isShown, onsetOfCells, onsetWith, peakOf } from '#server/incidents/effect.ts';
import { levelOf } from '#server/incidents/follow.ts';
import type { IncidentRecord, StoredCell } from '#server/incidents/row.ts';

const cell = (beforeMs: number | null, afterMs: number | null, more: Partial<StoredCell> = {}): StoredCell => ({
  targetId: '01970000-0000-7000-8000-000000000001',
  vantageId: '01970000-0000-7000-8000-000000000002',
  region: 'CN-BJ',
  carrier: 'telecom',
  kind: 'spike',
  metric: 'tls',
  at: '2026-11-20T12:02:00.000Z',
  changeAt: '2026-11-20T12:00:00.000Z',
  beforeMs,
  afterMs,
  recoveredAt: null,
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

describe('an onset', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));
  const began = (...minutes: number[]) => minutes.map((minute) => cell(50, 90, { changeAt: at(minute).toISOString() }));
  const many = began(-240, -30, ...Array.from({ length: 28 }, (_, index) => index));

  const lasting = (...minutes: number[]) => began(...minutes).map((each) => ({ ...each, kind: 'regression' as const }));

  it('is that of the first of a few series, and of many when a tenth of them had changed', () => {
    expect(onsetOfCells(began(7, 3, 5))).toEqual(at(3));
    expect(onsetOfCells(many)).toEqual(at(1));
    expect(onsetOfCells(began(-3, ...Array(30).fill(0)))).toEqual(at(0));
  });

  it('of what changed for good at once is not that of the tenth that chance dated up to three hours early', () => {
    const early = [
      -175, -135, -119, -90, -89, -79, -77, -75, -61, -44, -25, -25, -24, -24, -22, -16, -13, -12, -11, -11,
    ];
    const rest = [
      -10,
      -8,
      -7,
      ...Array(5).fill(-5),
      ...Array(5).fill(-3),
      -2,
      -2,
      ...Array(4).fill(1),
      ...Array(6).fill(3),
    ];
    expect(onsetOfCells(lasting(...early, ...rest, ...Array(41).fill(13)))).toEqual(at(-12));
  });

  it('of a change that began on a part is that of the part', () => {
    expect(onsetOfCells(lasting(...Array(7).fill(0), ...Array(15).fill(120)))).toEqual(at(0));
    expect(onsetOfCells(lasting(...Array.from({ length: 20 }, (_, n) => 10 * n), ...Array(10).fill(200)))).toEqual(
      at(30),
    );
  });

  it('of a roll-out over hours is when a tenth of its series had changed', () => {
    expect(onsetOfCells(lasting(...Array.from({ length: 30 }, (_, index) => 5 * index)))).toEqual(at(15));
  });

  it('is never later than the incident was opened', () => {
    const incident = { onsetAt: at(0), openedAt: at(2), reopened: 0 } as IncidentRecord;
    expect(onsetWith(incident, began(...Array(3).fill(0), ...Array(60).fill(90)))).toEqual(at(0));
  });

  it('becomes later where one series was dated too early, and stays where an incident came back', () => {
    const record = (onsetAt: Date, reopened: number) => ({ onsetAt, openedAt: at(30), reopened }) as IncidentRecord;
    expect(onsetWith(record(at(-240), 0), many)).toEqual(at(1));
    expect(onsetWith(record(at(-240), 1), many)).toEqual(at(-240));
    expect(onsetWith(record(at(5), 0), began(7, 8, 9))).toEqual(at(5));
    expect(onsetWith(record(at(5), 1), began(2, 8, 9))).toEqual(at(2));
  });
});
