import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cuts, handshakeMsOf, marksOf, NO_CUTS, originOf, phasesOf, type Stamps } from '#probe/phases/phases.ts';

const START = 1_000;

describe('the phases', () => {
  it('are the gaps between neighbouring marks', () => {
    const marks = marksOf(
      {
        start: START,
        namelookup: 1_001.2,
        connect: 1_029.3,
        appconnect: 1_058.3,
        pretransfer: 1_058.4,
        starttransfer: 1_086.7,
        firstBody: 1_086.9,
        bodyEnd: 1_087,
        end: 1_087,
      },
      NO_CUTS,
    );
    expect(marks).toEqual({
      namelookup: 1.2,
      connect: 29.3,
      appconnect: 58.3,
      pretransfer: 58.4,
      starttransfer: 86.7,
      firstBody: 86.9,
      total: 87,
    });
    expect(phasesOf(marks, true)).toEqual({
      dns: 1.2,
      tcp: 28.1,
      tls: 29,
      firstByte: 28.3,
      download: 0.3,
      total: 87,
      firstBody: 28.5,
    });
  });

  it('count tcp from the start where no name was looked up', () => {
    const marks = marksOf({ start: START, connect: 1_010, end: 1_020 }, NO_CUTS);
    expect(phasesOf(marks, false)).toMatchObject({ dns: null, tcp: 10 });
  });

  it('are null from the first missing mark on, and total is when the probe ended', () => {
    const marks = marksOf({ start: START, namelookup: 1_001, connect: 1_005, end: 1_500 }, NO_CUTS);
    expect(phasesOf(marks, false)).toEqual({
      dns: 1,
      tcp: 4,
      tls: null,
      firstByte: null,
      download: null,
      total: 500,
      firstBody: null,
    });
  });

  it('have no download where the body was not read to its end', () => {
    const marks = marksOf(
      {
        start: START,
        connect: 1_001,
        appconnect: 1_002,
        pretransfer: 1_002,
        starttransfer: 1_003,
        end: 1_900,
      },
      NO_CUTS,
    );
    expect(phasesOf(marks, false)).toMatchObject({ firstByte: 1, download: null, total: 900 });
  });

  const STAMPS: Stamps = Object.freeze({
    start: START,
    namelookup: 1_010,
    connect: 1_040,
    appconnect: 1_075,
    pretransfer: 1_076,
    starttransfer: 1_100,
    bodyEnd: 1_104,
    end: 1_104,
  });
  /** 3 ms from the look-up to the SYN, and 5 ms from the connect to the ClientHello. */
  const CUTS: Cuts = Object.freeze({ beforeSynMs: 3, beforeHelloMs: 5 });

  it('leave our own work and waits out: tcp counts from the SYN and tls from the ClientHello', () => {
    const marks = marksOf(STAMPS, CUTS);
    expect(phasesOf(marks, true)).toEqual({
      firstBody: null,
      dns: 10,
      tcp: 27,
      tls: 30,
      firstByte: 24,
      download: 4,
      total: 96,
    });
    expect(marks).toMatchObject({ namelookup: 10, connect: 37, appconnect: 67 });
    expect(handshakeMsOf(STAMPS, CUTS)).toBe(30);
    expect(STAMPS.connect).toBe(1_040);
  });

  it('cut the way from the start to the SYN where no name was looked up', () => {
    const { namelookup: _, ...literal } = STAMPS;
    expect(phasesOf(marksOf(Object.freeze(literal), CUTS), true)).toMatchObject({ dns: null, tcp: 37, tls: 30 });
  });

  it('never change a stamp, and give the same numbers whenever they are asked for', () => {
    const times = fc.array(fc.double({ min: 0, max: 1_000, noNaN: true }), { minLength: 8, maxLength: 8 });
    const cut = fc.double({ min: 0, max: 20, noNaN: true });
    fc.assert(
      fc.property(times, cut, cut, (gaps, beforeSynMs, beforeHelloMs) => {
        const stamps = Object.freeze(increasing(gaps, beforeSynMs, beforeHelloMs));
        const cuts = Object.freeze({ beforeSynMs, beforeHelloMs });
        const before = structuredClone(stamps);
        const phases = phasesOf(marksOf(stamps, cuts), true);
        expect(phasesOf(marksOf(stamps, cuts), true)).toEqual(phases);
        expect(stamps).toEqual(before);
        const [, dns = 0, tcp = 0, tls = 0] = gaps;
        expect(phases.dns).toBeCloseTo(dns, 2);
        expect(phases.tcp).toBeCloseTo(tcp, 2);
        expect(phases.tls).toBeCloseTo(tls, 2);
        // What happened after the ClientHello lies as far from the origin as from the start, less both cuts.
        expect(originOf(stamps, cuts) - stamps.start).toBeCloseTo(beforeSynMs + beforeHelloMs, 6);
      }),
    );
  });
});

/** Stamps with these gaps between them, and the two cuts where they belong. */
function increasing(gaps: number[], beforeSynMs: number, beforeHelloMs: number): Stamps {
  const [start = 0, dns = 0, tcp = 0, tls = 0, own = 0, wait = 0, body = 0] = gaps;
  const namelookup = start + dns;
  const connect = namelookup + beforeSynMs + tcp;
  const appconnect = connect + beforeHelloMs + tls;
  const pretransfer = appconnect + own;
  const starttransfer = pretransfer + wait;
  const bodyEnd = starttransfer + body;
  return { start, namelookup, connect, appconnect, pretransfer, starttransfer, bodyEnd, end: bodyEnd };
}
