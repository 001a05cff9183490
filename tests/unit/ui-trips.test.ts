import { describe, expect, it } from 'vitest';
import { allTrips, extraTrips } from '#components/result/trips.ts';

const phase = (took: number | null, expected: number | null) => ({ took, expected });
const trips = (tls: ReturnType<typeof phase>, firstByte = phase(1, 1)) => ({
  tcp: phase(1, 1),
  tls,
  firstByte,
  firstPacket: phase(1, 1),
  waits: [],
});

describe('the round trips of a result', () => {
  it('are summed up to the first usable byte; the first packet is on the way there', () => {
    expect(allTrips(trips(phase(1, 1)))).toEqual({ took: 3, extra: 0 });
    expect(allTrips(trips(phase(3, 2), phase(2, 1)))).toEqual({ took: 6, extra: 2 });
  });

  it('are unknown where one phase could not be counted, and what is known to be wasted stays', () => {
    expect(allTrips(trips(phase(null, 1)))).toEqual({ took: null, extra: 0 });
    expect(allTrips(trips(phase(3, 2), phase(null, null)))).toEqual({ took: null, extra: 1 });
    expect(allTrips(null)).toEqual({ took: null, extra: 0 });
  });

  it('are never fewer than none too many', () => {
    expect(extraTrips(phase(1, 2))).toBe(0);
    expect(extraTrips(phase(1, null))).toBeNull();
  });
});
