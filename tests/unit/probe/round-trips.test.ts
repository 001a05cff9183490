import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RoundTrips } from '#contract/result.ts';
import { type KernelCounts, lossBeforeConnect, lossOf } from '#probe/round-trips/loss.ts';
import { type RoundTripInput, roundTripsOf } from '#probe/round-trips/round-trips.ts';
import type { SeenChunk } from '#probe/wire/wire.ts';

const RTT = 28;
const NOTHING_LOST: KernelCounts = { minRttMs: RTT, rttMs: RTT, synRetransmits: 0, retransmits: 0, outOfOrder: 0 };
const NOT_ASKED: KernelCounts = { minRttMs: null, retransmits: null };
const out = (at: number, bytes = 300): SeenChunk => ({ direction: 'out', at, bytes });
const arrives = (at: number, bytes = 1_400): SeenChunk => ({ direction: 'in', at, bytes });

/** A connect until 128, a ClientHello at 130, and then these chunks. */
function counted(chunks: SeenChunk[], more: Partial<RoundTripInput> = {}) {
  return roundTripsOf({
    chunks: [out(130), ...chunks],
    start: 100,
    tcpMs: RTT,
    network: NOTHING_LOST,
    version: 'TLSv1.3',
    resumed: false,
    helloRetry: false,
    handshakeEnd: chunks.findLast(({ direction }) => direction === 'in')?.at ?? null,
    firstPacket: null,
    firstUsable: null,
    firstBody: null,
    bodyEnd: null,
    mss: 1_448,
    segmentsBy: () => null,
    ...more,
  });
}

describe('round trips of a probe', () => {
  it('are one each where nothing is wasted', () => {
    const chunks = [arrives(158), arrives(158.2), out(160), arrives(188), arrives(188.1)];
    const arrived = { handshakeEnd: 158.2, firstPacket: 188, firstUsable: 188.1, firstBody: 188.1, bodyEnd: 188.1 };
    const seen = counted(chunks, arrived);
    const once = { took: 1, expected: 1 };
    expect(seen).toEqual({
      tcp: once,
      tls: once,
      firstByte: once,
      firstPacket: once,
      firstBody: once,
      download: { took: 0, expected: 0 },
      serverWindow: null,
      waits: [],
    });
  });

  it('count the waits for the window in the handshake, and say where they sit', () => {
    const seen = counted([arrives(158, 5_792), arrives(186, 8_000), arrives(214, 6_000)]);
    expect(seen.tls).toEqual({ took: 3, expected: 1 });
    expect(seen.waits).toEqual([
      { phase: 'tls', atMs: 58, waitMs: 28, afterBytes: 5_792, segments: null, heldBy: 'window' },
      { phase: 'tls', atMs: 86, waitMs: 28, afterBytes: 13_792, segments: null, heldBy: 'window' },
    ]);
  });

  it.each([
    [28, true],
    [64.9, false],
  ])('take a pause of %f ms for a full window: %s', (pauseMs, exact) => {
    const segments = new Map([0, 4_096, 6_000].map((bytes) => [bytes, Math.ceil(bytes / 1_448)]));
    const segmentsBy = (bytes: number) => segments.get(bytes) ?? null;
    const seen = counted([arrives(158, 4_096), arrives(158 + pauseMs, 1_904)], { segmentsBy, mss: 1_024 });
    expect(seen.serverWindow).toEqual({ segments: 3, bytes: 4_096, exact });
  });

  it.each([
    ['TLSv1.2', false, false, 2],
    ['TLSv1.2', true, false, 1],
    ['TLSv1.3', false, true, 2],
    ['TLSv1.3', true, false, 1],
  ] as const)('%s, resumed %s, retry %s should take %i', (version, resumed, helloRetry, expected) => {
    expect(counted([arrives(158)], { version, resumed, helloRetry }).tls.expected).toBe(expected);
  });

  it('count the first usable byte apart from the first packet', () => {
    const chunks = [arrives(158), out(160), arrives(188, 14_480), arrives(216, 2_000), arrives(244, 9_000)];
    const seen = counted(chunks, { handshakeEnd: 158, firstPacket: 188, firstUsable: 216, bodyEnd: 244 });
    expect(seen.firstPacket.took).toBe(1);
    expect(seen.firstByte.took).toBe(2);
    expect(seen.waits.map(({ phase, afterBytes }) => [phase, afterBytes])).toEqual([
      ['firstByte', 14_480],
      ['download', 2_000],
    ]);
  });

  it('do not take a server that thinks for a round trip, whatever came before the answer', () => {
    const tickets = arrives(188, 500);
    const chunks = [arrives(158), out(160), tickets, out(189, 30), arrives(700), arrives(700.2)];
    const seen = counted(chunks, { handshakeEnd: 158, firstPacket: 700, firstUsable: 700.2, bodyEnd: 700.2 });
    expect(seen).toMatchObject({ firstPacket: { took: 1 }, firstByte: { took: 1 }, waits: [] });
  });

  it('are not counted by a connect that a proxy answered', () => {
    const seen = counted([arrives(430), arrives(470)], { network: { ...NOTHING_LOST, minRttMs: 2 }, tcpMs: 2 });
    expect(seen.tls).toEqual({ took: null, expected: 1 });
    expect(seen.waits).toEqual([]);
  });

  it('do not count a wait that a lost segment made, but list it', () => {
    const chunks = [arrives(158, 2_900), arrives(186, 17_000)];
    const lost = counted(chunks, { network: { ...NOTHING_LOST, outOfOrder: 8 } });
    expect(lost.tls).toEqual({ took: 1, expected: 1 });
    expect(lost.waits).toHaveLength(1);
  });

  it('measure by the kernel where the SYN was lost', () => {
    const network = { ...NOTHING_LOST, synRetransmits: 1, retransmits: 1 };
    expect(counted([arrives(158, 14_480), arrives(186)], { network, tcpMs: 1_028 }).tls.took).toBe(2);
  });

  it('end with the handshake where it failed', () => {
    expect(counted([arrives(158)], { handshakeEnd: null })).toMatchObject({
      tls: { took: null },
      firstByte: { took: null },
    });
  });

  it('hold at most 16 waits', () => {
    const chunks = Array.from({ length: 40 }, (_, i) => arrives(158 + i * RTT));
    expect(counted(chunks).waits).toHaveLength(16);
    expect(counted(chunks).tls.took).toBe(40);
  });

  it('equal the flights of any window, whatever the line', () => {
    const line = fc.double({ min: 2, max: 400, noNaN: true });
    const batches = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(line, batches, fc.double({ min: 0, max: 0.02, noNaN: true }), (rtt, sizes, spread) => {
        const chunks = sizes.flatMap((segments, i) =>
          Array.from({ length: segments }, (_, j) => arrives(130 + rtt * (i + 1 + j * spread), 1_448)),
        );
        const network = { ...NOTHING_LOST, minRttMs: rtt, rttMs: rtt };
        expect(counted(chunks, { tcpMs: rtt, network }).tls.took).toBe(sizes.length);
      }),
    );
  });

  it('are a valid part of a Result for any chunks', () => {
    const instant = fc.double({ min: 130, max: 5_000, noNaN: true });
    const chunk = fc.record({
      direction: fc.constantFrom('in' as const, 'out' as const),
      at: instant,
      bytes: fc.integer({ min: 1, max: 20_000 }),
    });
    const maybe = fc.option(instant);
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 60 }), maybe, maybe, maybe, (chunks, end, packet, usable) => {
        const inOrder = chunks.toSorted((a, b) => a.at - b.at);
        const more = { handshakeEnd: end, firstPacket: packet, firstUsable: usable, bodyEnd: usable };
        expect(RoundTrips.safeParse(counted(inOrder, more)).error).toBeUndefined();
      }),
    );
  });
});

describe('lost packets', () => {
  it.each([
    ['the kernel saw a SYN repeated', { ...NOTHING_LOST, synRetransmits: 1, retransmits: 1 }, 1_028, 'sent 2 times'],
    ['a connect a second too long', { ...NOT_ASKED, rttMs: RTT }, 1_030, 'consistent with a lost SYN'],
    ['a connect three seconds too long', { ...NOT_ASKED, rttMs: RTT }, 3_028, 'consistent with a lost SYN'],
  ])('show in the SYN: %s', (_, network, tcpMs, evidence) => {
    expect(lossOf(network, tcpMs, null)).toMatchObject({
      syn: { evidence: expect.stringContaining(evidence) },
      segment: null,
    });
  });

  it.each([
    ['nothing was repeated, however long it took', { ...NOTHING_LOST }, 1_028],
    ['a slow connect that fits no repetition', { ...NOT_ASKED, rttMs: RTT }, 530],
    ['a line whose round-trip time nobody knows', NOT_ASKED, 1_028],
  ])('do not show in the SYN: %s', (_, network, tcpMs) => {
    expect(lossOf(network, tcpMs, null).syn).toBeNull();
  });

  it.each([
    ['we sent one again', { ...NOTHING_LOST, retransmits: 1 }, 'the kernel sent 1 segment again'],
    ['some came early', { ...NOTHING_LOST, outOfOrder: 3 }, '3 segments arrived before an earlier one'],
  ])('show behind the SYN: %s', (_, network, evidence) => {
    expect(lossOf(network, RTT, null)).toMatchObject({
      syn: null,
      segment: { evidence: expect.stringContaining(evidence) },
    });
  });

  it.each([
    ['sent again', { ...NOT_ASKED, synRetransmits: 3, retransmits: 3 }, expect.stringContaining('sent 4 times')],
    ['sent once', { ...NOT_ASKED, synRetransmits: 0, retransmits: 0 }, null],
    ['not asked about', NOT_ASKED, null],
  ])('show in the SYN of a connect that failed, where it was %s', (_, network, evidence) => {
    expect(lossBeforeConnect(network)?.evidence ?? null).toEqual(evidence);
  });

  it('show by a long pause where the kernel was not asked, and not where it saw nothing', () => {
    const stall = { from: 28, afterBytes: 2_000, upTo: 2_000, gapMs: 230, oneRoundTrip: false };
    const flights = { flights: 2, alternations: 1, stalls: [stall], rttMs: RTT, answerMs: RTT, wireMs: 258 };
    expect(lossOf(NOT_ASKED, RTT, flights).segment?.evidence).toContain('consistent with a lost segment');
    expect(lossOf(NOTHING_LOST, RTT, flights).segment).toBeNull();
    expect(lossOf(NOT_ASKED, RTT, { ...flights, stalls: [{ ...stall, gapMs: 80 }] }).segment).toBeNull();
  });
});
