import { describe, expect, it } from 'vitest';
import { marksOf, phasesOf } from '#probe/phases.ts';

const START = 1_000;

describe('the phases', () => {
  it('are the gaps between neighbouring marks', () => {
    const marks = marksOf({
      start: START,
      namelookup: 1_001.2,
      connect: 1_029.3,
      appconnect: 1_058.3,
      pretransfer: 1_058.4,
      starttransfer: 1_086.7,
      bodyEnd: 1_087,
      end: 1_087,
    });
    expect(marks).toEqual({
      namelookup: 1.2,
      connect: 29.3,
      appconnect: 58.3,
      pretransfer: 58.4,
      starttransfer: 86.7,
      total: 87,
    });
    expect(phasesOf(marks, true)).toEqual({ dns: 1.2, tcp: 28.1, tls: 29, firstByte: 28.3, download: 0.3, total: 87 });
  });

  it('count tcp from the start where no name was looked up', () => {
    const marks = marksOf({ start: START, connect: 1_010, end: 1_020 });
    expect(phasesOf(marks, false)).toMatchObject({ dns: null, tcp: 10 });
  });

  it('are null from the first missing mark on, and total is when the probe ended', () => {
    const marks = marksOf({ start: START, namelookup: 1_001, connect: 1_005, end: 1_500 });
    expect(phasesOf(marks, false)).toEqual({ dns: 1, tcp: 4, tls: null, firstByte: null, download: null, total: 500 });
  });

  it('have no download where the body was not read to its end', () => {
    const marks = marksOf({
      start: START,
      connect: 1_001,
      appconnect: 1_002,
      pretransfer: 1_002,
      starttransfer: 1_003,
      end: 1_900,
    });
    expect(phasesOf(marks, false)).toMatchObject({ firstByte: 1, download: null, total: 900 });
  });
});
