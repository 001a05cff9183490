import { describe, expect, it } from 'vitest';
import { type Delivery, Sender } from '#demo/sender.ts';

/** Loses exactly the segments with these numbers, counted from 0. */
function losing(...numbers: number[]): () => boolean {
  let next = 0;
  return () => numbers.includes(next++);
}
const byTime = (deliveries: Delivery[]) => deliveries.map((d) => [d.atMs, d.bytes]);

describe('the model of a TCP sender', () => {
  it('delivers a small flight after half a round trip', () => {
    const sender = new Sender({ rttMs: 28 });
    expect(byTime(sender.send(100, 2_900))).toEqual([[114, 2_900]]);
  });

  it('holds a certificate flight above ten segments back for one more round trip', () => {
    const fits = new Sender({ rttMs: 28 });
    expect(byTime(fits.send(0, 14_600))).toEqual([[14, 14_600]]);
    const overflows = new Sender({ rttMs: 28 });
    expect(byTime(overflows.send(0, 16_000))).toEqual([
      [14, 14_600],
      [42, 1_400],
    ]);
  });

  it('delivers a 24 kB body in two round trips and a 100 kB body in four', () => {
    expect(byTime(new Sender({ rttMs: 40 }).send(0, 24_000))).toEqual([
      [20, 14_600],
      [60, 9_400],
    ]);
    expect(byTime(new Sender({ rttMs: 40 }).send(0, 100_000))).toEqual([
      [20, 14_600],
      [60, 29_200],
      [100, 56_200],
    ]);
    expect(new Sender({ rttMs: 40 }).send(0, 110_000).at(-1)?.atMs).toBe(140);
  });

  it('costs what packet capture showed for initial windows of 10, 4, 3 and 2 segments', () => {
    const roundTrips = (initialWindow: number, bytes: number) => {
      const last = new Sender({ rttMs: 28, initialWindow }).send(0, bytes).at(-1)?.atMs ?? Number.NaN;
      return (last + 14) / 28;
    };
    expect([10, 4, 3, 2].map((window) => roundTrips(window, 5_600))).toEqual([1, 1, 2, 2]);
    expect([10, 4, 3, 2].map((window) => roundTrips(window, 21_000))).toEqual([2, 3, 3, 4]);
  });

  it('does not let the window grow while half of it lies unused', () => {
    const sender = new Sender({ rttMs: 30 });
    sender.send(0, 3_000);
    expect(byTime(sender.send(100, 24_000))).toEqual([
      [115, 14_600],
      [145, 9_400],
    ]);
  });

  it('lets a body follow a long certificate flight through the window that this flight opened', () => {
    const sender = new Sender({ rttMs: 30 });
    sender.send(0, 16_000);
    expect(byTime(sender.send(100, 24_000))).toEqual([[115, 24_000]]);
    expect(sender.window).toBeGreaterThanOrEqual(17);
  });

  it('repeats a lost segment after one round trip when three later ones follow it', () => {
    const sender = new Sender({ rttMs: 30, lost: losing(2) });
    expect(byTime(sender.send(0, 14_600))).toEqual([
      [15, 2_920],
      [45, 11_680],
    ]);
  });

  it('repeats a lost last segment after the retransmission time-out', () => {
    const sender = new Sender({ rttMs: 30, lost: losing(9) });
    expect(byTime(sender.send(0, 14_600))).toEqual([
      [15, 13_140],
      [245, 1_460],
    ]);
  });

  it('waits longer than 200 ms on a line that is itself slow', () => {
    const sender = new Sender({ rttMs: 300, lost: losing(0) });
    expect(byTime(sender.send(0, 500))).toEqual([[1_050, 500]]);
  });

  it('halves the window after a loss', () => {
    const sender = new Sender({ rttMs: 30, lost: losing(0) });
    sender.send(0, 14_600);
    sender.send(1_000, 1);
    expect(sender.window).toBeLessThan(7);
  });

  it('never lets bytes overtake each other, whatever the jitter', () => {
    const jitters = [9, 0, 5];
    const sender = new Sender({ rttMs: 20, jitterMs: () => jitters.shift() ?? 0 });
    const times = [0, 1, 2].flatMap((at) => sender.send(at, 100).map((d) => d.atMs));
    expect(times).toEqual([19, 19, 19]);
  });

  it('sends nothing for nothing', () => {
    expect(new Sender({ rttMs: 20 }).send(0, 0)).toEqual([]);
  });
});
