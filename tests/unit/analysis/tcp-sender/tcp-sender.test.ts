import { describe, expect, it } from 'vitest';
import { type Delivery, TcpSender } from '#analysis/tcp-sender/tcp-sender.ts';

/** Loses exactly the segments with these numbers, counted from 0. */
function losing(...numbers: number[]): () => boolean {
  let next = 0;
  return () => numbers.includes(next++);
}
const byTime = (deliveries: Delivery[]) => deliveries.map((d) => [d.atMs, d.bytes]);

describe('the model of a TCP sender', () => {
  it('delivers a small flight after half a round trip', () => {
    const sender = new TcpSender({ rttMs: 28 });
    expect(byTime(sender.send(100, 2_900))).toEqual([[114, 2_900]]);
  });

  it('holds a certificate flight above ten segments back for one more round trip', () => {
    const fits = new TcpSender({ rttMs: 28 });
    expect(byTime(fits.send(0, 14_480))).toEqual([[14, 14_480]]);
    const overflows = new TcpSender({ rttMs: 28 });
    expect(byTime(overflows.send(0, 16_000))).toEqual([
      [14, 14_480],
      [42, 1_520],
    ]);
  });

  it('delivers a 24 kB body in two round trips and a 100 kB body in four', () => {
    expect(byTime(new TcpSender({ rttMs: 40 }).send(0, 24_000))).toEqual([
      [20, 14_480],
      [60, 9_520],
    ]);
    expect(byTime(new TcpSender({ rttMs: 40 }).send(0, 100_000))).toEqual([
      [20, 14_480],
      [60, 28_960],
      [100, 56_560],
    ]);
    expect(new TcpSender({ rttMs: 40 }).send(0, 110_000).at(-1)?.atMs).toBe(140);
  });

  it('costs what packet capture showed for initial windows of 10, 4, 3 and 2 segments', () => {
    const roundTrips = (initialWindow: number, bytes: number) => {
      const last = new TcpSender({ rttMs: 28, initialWindow }).send(0, bytes).at(-1)?.atMs ?? Number.NaN;
      return (last + 14) / 28;
    };
    expect([10, 4, 3, 2].map((window) => roundTrips(window, 5_600))).toEqual([1, 1, 2, 2]);
    expect([10, 4, 3, 2].map((window) => roundTrips(window, 21_000))).toEqual([2, 3, 3, 4]);
  });

  it('does not let the window grow while half of it lies unused', () => {
    const sender = new TcpSender({ rttMs: 30 });
    sender.send(0, 3_000);
    expect(byTime(sender.send(100, 24_000))).toEqual([
      [115, 14_480],
      [145, 9_520],
    ]);
  });

  /** Measured in the lab (Linux 6.18): flights of 7,222, 9,266 and 12,219 bytes through a window of 4 leave one of 10, 11 and 13. */
  it.each([
    [4, [4_096, 3_126], 10],
    [4, [4_096, 5_041, 129], 11],
    [4, [4_096, 7_998, 129], 13],
    [3, [4_096, 1_393], 7],
    [10, [4_096, 3_126], 12],
    [10, [2_021], 10],
  ])(
    'from %i segments the flight %j opens the window to %i: its end counts where it was full before',
    (initialWindow, writes, window) => {
      const sender = new TcpSender({ rttMs: 30, initialWindow });
      sender.send(0, ...writes);
      sender.advance(100);
      expect(sender.window).toBe(window);
    },
  );

  it('lets a body follow a long certificate flight through the window that this flight opened', () => {
    const sender = new TcpSender({ rttMs: 30 });
    sender.send(0, 16_000);
    expect(byTime(sender.send(100, 24_000))).toEqual([[115, 24_000]]);
    expect(sender.window).toBeGreaterThanOrEqual(17);
  });

  it('repeats a lost segment after one round trip when three later ones follow it', () => {
    const sender = new TcpSender({ rttMs: 30, lost: losing(2) });
    expect(byTime(sender.send(0, 14_480))).toEqual([
      [15, 2_896],
      [45, 11_584],
    ]);
  });

  it('repeats a lost last segment after the retransmission time-out', () => {
    const sender = new TcpSender({ rttMs: 30, lost: losing(9) });
    expect(byTime(sender.send(0, 14_480))).toEqual([
      [15, 13_032],
      [245, 1_448],
    ]);
  });

  it('waits longer than 200 ms on a line that is itself slow', () => {
    const sender = new TcpSender({ rttMs: 300, lost: losing(0) });
    expect(byTime(sender.send(0, 500))).toEqual([[1_050, 500]]);
  });

  it('halves the window after a loss', () => {
    const sender = new TcpSender({ rttMs: 30, lost: losing(0) });
    sender.send(0, 14_480);
    sender.send(1_000, 1);
    expect(sender.window).toBeLessThan(7);
  });

  it('never lets bytes overtake each other, whatever the jitter', () => {
    const jitters = [9, 0, 5];
    const sender = new TcpSender({ rttMs: 20, jitterMs: () => jitters.shift() ?? 0 });
    const times = [0, 1, 2].flatMap((at) => sender.send(at, 100).map((d) => d.atMs));
    expect(times).toEqual([19, 19, 19]);
  });

  it('sends nothing for nothing', () => {
    expect(new TcpSender({ rttMs: 20 }).send(0, 0)).toEqual([]);
  });

  it('counts segments, not bytes: ten short writes fill the window', () => {
    const sender = new TcpSender({ rttMs: 30 });
    const writes = Array.from({ length: 12 }, () => 129);
    expect(byTime(sender.send(0, ...writes))).toEqual([
      [15, 1_290],
      [45, 258],
    ]);
  });

  it('cuts each write for itself: 4,096 bytes take three segments', () => {
    const sender = new TcpSender({ rttMs: 30 });
    expect(byTime(sender.send(0, 4_096, 4_096, 4_096, 4_096))).toEqual([
      [15, 3 * 4_096 + 1_448],
      [45, 2_648],
    ]);
  });

  it('fills up what waits with later writes, so that it leaves in full segments', () => {
    const sender = new TcpSender({ rttMs: 30, initialWindow: 1 });
    expect(sender.write(0, 1_448)).toEqual([{ atMs: 15, bytes: 1_448 }]);
    for (let piece = 0; piece < 4; piece += 1) expect(sender.write(1, 700)).toEqual([]);
    expect(sender.nextMs).toBe(30);
    expect(byTime(sender.advance(30))).toEqual([[45, 2_800]]);
  });

  it('holds the second partial segment back where Nagle is on, until the first is acknowledged', () => {
    const flight = [4_096, 801];
    expect(byTime(new TcpSender({ rttMs: 380 }).send(0, ...flight))).toEqual([[190, 4_897]]);
    expect(byTime(new TcpSender({ rttMs: 380, noDelay: false }).send(0, ...flight))).toEqual([
      [190, 4_096],
      [570, 801],
    ]);
  });

  it("lets a write's only partial segment go, as Minshall's variant does, and full ones always", () => {
    const sender = new TcpSender({ rttMs: 30, noDelay: false });
    expect(byTime(sender.send(0, 2_896, 2_896, 1_500))).toEqual([[15, 7_292]]);
    expect(byTime(sender.write(1, 1_448))).toEqual([[16, 1_448]]);
  });

  it('sends a partial segment that Nagle held as soon as a later write has filled it', () => {
    const sender = new TcpSender({ rttMs: 30, noDelay: false });
    sender.write(0, 100);
    expect(sender.write(1, 100)).toEqual([]);
    expect(byTime(sender.write(5, 1_348))).toEqual([[20, 1_448]]);
  });

  it('takes segments of another size', () => {
    expect(byTime(new TcpSender({ rttMs: 30, segmentBytes: 1_220 }).send(0, 14_000))).toEqual([
      [15, 12_200],
      [45, 1_800],
    ]);
  });
});
