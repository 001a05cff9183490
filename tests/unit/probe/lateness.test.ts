import { describe, expect, it } from 'vitest';
import { proberState } from '#probe/load/load.ts';

const clean = (
  late: { lateMs: number; phaseMs: number | null }[],
  more: { kernel?: boolean; cleanBelowMs?: number } = {},
) => proberState({ since: performance.now(), late, kernel: true, ...more });

describe('a Result is clean', () => {
  it('below a millisecond of our own delay in each phase', () => {
    expect(clean([])).toMatchObject({ clean: true, lateMs: 0, stampedBy: 'watcher' });
    expect(clean([{ lateMs: 0.99, phaseMs: 28 }])).toMatchObject({ clean: true, lateMs: 0.99 });
    expect(clean([{ lateMs: 1, phaseMs: 28 }])).toMatchObject({ clean: false, lateMs: 1 });
    expect(clean([{ lateMs: 1, phaseMs: null }]).clean).toBe(false);
  });

  it('below a hundredth of a phase that is longer than 100 ms', () => {
    expect(clean([{ lateMs: 3.7, phaseMs: 380 }]).clean).toBe(true);
    expect(clean([{ lateMs: 3.9, phaseMs: 380 }]).clean).toBe(false);
  });

  it('where each phase is, whatever the others took', () => {
    const late = [
      { lateMs: 0, phaseMs: 1_000 },
      { lateMs: 2, phaseMs: 30 },
    ];
    expect(clean(late)).toMatchObject({ clean: false, lateMs: 2 });
  });

  it('by the limit of an environment that has one of its own', () => {
    expect(clean([{ lateMs: 39, phaseMs: 28 }], { cleanBelowMs: 40 }).clean).toBe(true);
    expect(clean([{ lateMs: 40, phaseMs: 28 }], { cleanBelowMs: 40 }).clean).toBe(false);
  });
});
