import { describe, expect, it } from 'vitest';
import { expectedRoundTrips, flightsOf, implausible } from '#probe/round-trips/flights.ts';
import type { SeenChunk } from '#probe/wire/wire.ts';

const RTT = 28;
const out = (at: number, bytes = 300): SeenChunk => ({ direction: 'out', at, bytes });
const arrives = (at: number, bytes = 1_400): SeenChunk => ({ direction: 'in', at, bytes });

describe('flights of a handshake', () => {
  it('are one where the server answers in one go', () => {
    const flights = flightsOf([out(0), arrives(28), arrives(28.4)], RTT, 28.4);
    expect(flights).toMatchObject({ flights: 1, alternations: 1, stalls: [], wireMs: 28.4 });
  });

  it('are two where TLS 1.2 asks twice', () => {
    expect(flightsOf([out(0), arrives(28), out(28.5), arrives(57)], RTT, 57)).toMatchObject({ flights: 2, stalls: [] });
  });

  it('count a gap of a round trip inside the answer, and say after how many bytes', () => {
    const chunks = [out(0), arrives(28, 14_600), arrives(56, 5_400)];
    const flights = flightsOf(chunks, RTT, 56);
    expect(flights).toMatchObject({ flights: 2, alternations: 1 });
    expect(flights?.stalls).toEqual([{ from: 28, afterBytes: 14_600, upTo: 14_600, gapMs: 28, oneRoundTrip: true }]);
  });

  it('tell a long stall from the wait for one acknowledgement', () => {
    const flights = flightsOf([out(0), arrives(28), arrives(260)], RTT, 260);
    expect(flights?.stalls).toMatchObject([{ oneRoundTrip: false }]);
  });

  it('take no notice of what arrives after the handshake', () => {
    expect(flightsOf([out(0), arrives(28), arrives(90)], RTT, 28)).toMatchObject({ flights: 1, wireMs: 28 });
  });

  it('do not see gaps below a millisecond on a line of microseconds', () => {
    expect(flightsOf([out(0), arrives(0.05), arrives(0.4)], 0.05, 1)).toMatchObject({ flights: 1 });
  });

  it('measure by the first answer where the connect took longer (a lost SYN)', () => {
    const flights = flightsOf([out(0), arrives(28, 14_600), arrives(56)], 1_028, 56);
    expect(flights).toMatchObject({ rttMs: 28, flights: 2 });
  });

  it('measure by the kernel where it knows better than the connect', () => {
    const chunks = [out(0), arrives(29, 14_600), arrives(48)];
    expect(flightsOf(chunks, 40, 60)).toMatchObject({ rttMs: 29, flights: 2 });
    expect(flightsOf([out(0), arrives(40, 14_600), arrives(60)], 40, 60)).toMatchObject({ flights: 1 });
    expect(flightsOf([out(0), arrives(40, 14_600), arrives(60)], 40, 60, 28)).toMatchObject({ rttMs: 28, flights: 2 });
  });

  it('are not told where the server said nothing', () => {
    expect(flightsOf([out(0)], RTT, 100)).toBeNull();
  });
});

describe('what is due and what is plausible', () => {
  it.each([
    ['TLSv1.3', false, false, 1],
    ['TLSv1.3', false, true, 2],
    ['TLSv1.3', true, false, 1],
    ['TLSv1.2', false, false, 2],
    ['TLSv1.2', true, false, 1],
    [null, false, false, null],
  ] as const)('%s, resumed %s, retry %s: %s', (version, resumed, retry, due) => {
    expect(expectedRoundTrips(version, resumed, retry)).toBe(due);
  });

  it('a connect far shorter than the handshake is no measure', () => {
    const flights = flightsOf([out(0), arrives(300)], 25, 300);
    expect(flights && implausible(flights, 25)).toBe(true);
    const usual = flightsOf([out(0), arrives(30)], 25, 30);
    expect(usual && implausible(usual, 25)).toBe(false);
  });
});
