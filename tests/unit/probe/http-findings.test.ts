import { describe, expect, it } from 'vitest';
import type { Result, ResultHttp } from '#contract/result.ts';
import { httpFindings } from '#probe/findings/http.ts';
import { makeResult } from '../../support/results.ts';
import { TEST_VANTAGE } from '../../support/tls-target.ts';

/** The findings of a healthy Result on a line of 28 ms, with this in its answer. */
function found(http: Partial<ResultHttp>, offeredHttp2 = true) {
  const targetId = '0197f3a0-0000-7000-8000-000000000002';
  const made = makeResult({ targetId, vantage: TEST_VANTAGE, startedAt: Date.UTC(2026, 10, 21), tls: 29 });
  const result = { ...made, network: { ...made.network, minRttMs: 28 }, http: { ...made.http, ...http } } as Result;
  return httpFindings(result, offeredHttp2).map(({ code, savesRoundTrips, savesMs }) => [
    code,
    savesRoundTrips,
    savesMs,
  ]);
}

const large = { firstRecordBytes: 16_413, firstPacketMs: 28.4 };

describe('what an answer shows', () => {
  it('is nothing where all is well', () => {
    expect(found({})).toEqual([]);
    expect(found({ ...large, firstUsableMs: 29 })).toEqual([]);
  });

  it.each([
    [56.6, 1],
    [85, 2],
  ])('is a first record that took until %d ms: %d round trips too many', (firstUsableMs, extra) => {
    expect(found({ ...large, firstUsableMs })).toEqual([['records_exceed_window', extra, extra * 28]]);
  });

  it('is no large record where the wait was for something else', () => {
    expect(found({ ...large, firstUsableMs: 230 })).toEqual([]);
    expect(found({ ...large, firstRecordBytes: 1_400, firstUsableMs: 56.6 })).toEqual([]);
    expect(found({ ...large, firstPacketMs: null, firstUsableMs: 56.6 })).toEqual([]);
  });

  it('is records so small that they cost more than they carry', () => {
    expect(found({ bytes: 10_000, records: 100 })).toEqual([['tiny_records', null, null]]);
    expect(found({ bytes: 1_000, records: 5 })).toEqual([]);
    expect(found({ bytes: 140_000, records: 100 })).toEqual([]);
  });

  it('is HTTP/1.1, where HTTP/2 was offered', () => {
    expect(found({ version: '1.1' })).toEqual([['http1_only', null, null]]);
    expect(found({ version: '1.1' }, false)).toEqual([]);
  });
});
