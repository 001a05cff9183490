import { describe, expect, it } from 'vitest';
import type { Finding, Result, ResultHttp, Wait } from '#contract/result.ts';
import { httpFindings } from '#probe/findings/http.ts';
import { makeResult } from '../../support/results.ts';
import { TEST_VANTAGE } from '../../support/tls-target.ts';

const RTT = 28;
/** When the request leaves and when the body's first record has come, in these Results. */
const ASKED = 100;

type Changes = { http?: Partial<ResultHttp>; waits?: Wait[]; lateMs?: number; session?: null; bodyMs?: number };

/** A healthy Result on a line of 28 ms, with this in its answer; the first record of its body is whole after `bodyMs`. */
function findings(
  { http = {}, waits = [], lateMs = 0, session, bodyMs = 29 }: Changes,
  offeredHttp2 = true,
): Finding[] {
  const targetId = '0197f3a0-0000-7000-8000-000000000002';
  const made = makeResult({ targetId, vantage: TEST_VANTAGE, startedAt: Date.UTC(2026, 10, 21), tls: 29 });
  const result = {
    ...made,
    marks: { ...made.marks, pretransfer: ASKED, firstBody: ASKED + bodyMs },
    network: { ...made.network, minRttMs: RTT },
    tls: made.tls && { ...made.tls, ...(session === null ? { session } : {}) },
    http: { ...made.http, firstBodyPacketMs: 28.4, ...http },
    roundTrips: made.roundTrips && { ...made.roundTrips, waits },
    prober: { ...made.prober, lateMs },
  } as Result;
  return httpFindings(result, offeredHttp2);
}

const found = (changes: Changes, offeredHttp2 = true) =>
  findings(changes, offeredHttp2).map(({ code, savesRoundTrips, savesMs }) => [code, savesRoundTrips, savesMs]);

/** A wait of one round trip that began so many ms after the request. */
const wait = (afterMs: number, more: Partial<Wait> = {}): Wait => ({
  phase: 'firstByte',
  atMs: ASKED + afterMs,
  waitMs: RTT,
  afterBytes: 14_480,
  segments: 10,
  heldBy: 'window',
  ...more,
});

const LARGE = { firstBodyRecordBytes: 16_413 };

describe('what an answer shows', () => {
  it('is nothing where all is well', () => {
    expect(found({})).toEqual([]);
    expect(found({ http: LARGE })).toEqual([]);
  });

  it.each([
    [56.6, [wait(28.5)], 1],
    [85, [wait(28.5), wait(56.7)], 2],
  ])('is a first record of the body that took until %d ms', (bodyMs, waits, extra) => {
    expect(found({ http: LARGE, bodyMs, waits })).toEqual([['records_exceed_window', extra, extra * RTT]]);
  });

  it('is that record, not the one of the headers: a wait before it and one behind it are others', () => {
    const before = wait(28.4, { afterBytes: 157, segments: 1, heldBy: 'unknown' });
    const inside = wait(57);
    const behind = wait(85.4, { phase: 'download' });
    const http = { ...LARGE, firstRecordBytes: 157, firstBodyPacketMs: 56.8 };
    const codes = findings({ http, bodyMs: 85.3, waits: [before, inside, behind] });
    expect(codes.map(({ code, values }) => [code, values?.waits])).toEqual([
      ['records_exceed_window', 1],
      ['body_exceeds_window', 1],
    ]);
  });

  it('is no large record where the wait was for something else, or may be our own delay', () => {
    expect(found({ http: LARGE, bodyMs: 230, waits: [wait(28.5, { waitMs: 201 })] })).toEqual([]);
    expect(found({ http: { firstBodyRecordBytes: 1_400 }, bodyMs: 56.6, waits: [wait(28.5)] })).toEqual([]);
    expect(found({ http: LARGE, bodyMs: 56.6, waits: [wait(28.5)], lateMs: 28 })).toEqual([]);
    expect(found({ http: LARGE, bodyMs: 56.6, waits: [wait(28.5, { heldBy: 'nagle' })] })).toEqual([]);
  });

  it('is a body that waits for the window, for information alone', () => {
    const waits = [wait(30, { phase: 'download' }), wait(58, { phase: 'download' })];
    expect(findings({ waits })).toMatchObject([
      { code: 'body_exceeds_window', severity: 'info', savesRoundTrips: 2, savesMs: 2 * RTT },
    ]);
    const served = waits.map((each) => ({ ...each, heldBy: 'unknown' as const }));
    expect(found({ waits: served })).toEqual([]);
  });

  it('is records so small that they cost more than they carry', () => {
    expect(found({ http: { bytes: 10_000, records: 100 } })).toEqual([['tiny_records', null, null]]);
    expect(found({ http: { bytes: 1_000, records: 5 } })).toEqual([]);
    expect(found({ http: { bytes: 140_000, records: 100 } })).toEqual([]);
  });

  it('books the round trips of a window that small records fill by their number', () => {
    const waits = [wait(28.5, { afterBytes: 1_290 })];
    expect(found({ http: { bytes: 1_500, records: 14 }, waits })).toEqual([['tiny_records', 1, RTT]]);
    const large = [wait(28.5, { afterBytes: 14_480 })];
    expect(found({ http: { bytes: 3_000, records: 14 }, waits: large })[0]?.[0]).not.toBe('tiny_records');
  });

  it('is HTTP/1.1, where HTTP/2 was offered', () => {
    expect(found({ http: { version: '1.1' } })).toEqual([['http1_only', null, null]]);
    expect(found({ http: { version: '1.1' } }, false)).toEqual([]);
  });

  it('is a server that gives nothing to resume by', () => {
    expect(found({ session: null })).toEqual([['no_session', null, null]]);
  });
});
