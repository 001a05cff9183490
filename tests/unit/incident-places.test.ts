import { describe, expect, it } from 'vitest';
import type { Incident } from '#contract/incident.ts';
import { MAX_MEASUREMENT_VANTAGES } from '#contract/measurement.ts';
import { probedOf } from '../../app/probe/incident-places.ts';

type Cell = Incident['cells'][number];
const cell = (targetId: string | null, vantageId: string | null, recoveredAt: string | null = null) =>
  ({ targetId, vantageId, recoveredAt }) as Cell;

const TARGETS = new Set(['a', 'b']);

describe('what is probed again for an incident', () => {
  it('is the target with the most of its series, from the places that have not recovered', () => {
    const cells = [
      cell('a', '1', '2026-10-01T00:00:00Z'),
      cell('a', '2'),
      cell('b', '1'),
      cell('b', '2'),
      cell('b', '2'),
    ];
    expect(probedOf({ cells }, TARGETS)).toEqual({ targetId: 'b', vantageIds: ['1', '2'] });
  });

  it('is all its places where all have recovered', () => {
    const at = '2026-10-01T00:00:00Z';
    expect(probedOf({ cells: [cell('a', '1', at), cell('a', '2', at)] }, TARGETS)).toEqual({
      targetId: 'a',
      vantageIds: ['1', '2'],
    });
  });

  it('is nothing of a silent vantage, and as many places as a measurement may have', () => {
    expect(probedOf({ cells: [cell(null, '1')] }, TARGETS)).toBeNull();
    expect(probedOf({ cells: [cell('a', null)] }, TARGETS)).toBeNull();
    expect(probedOf({ cells: [cell('deleted', '1')] }, TARGETS)).toBeNull();
    const cells = Array.from({ length: MAX_MEASUREMENT_VANTAGES + 1 }, (_, n) => cell('a', `${n}`));
    expect(probedOf({ cells }, TARGETS)?.vantageIds).toHaveLength(MAX_MEASUREMENT_VANTAGES);
  });
});
