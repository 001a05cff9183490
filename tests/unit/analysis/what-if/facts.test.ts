import { describe, expect, it } from 'vitest';
import { NO_REDIRECTS } from '#analysis/what-if/facts.ts';
import { factsOf, whatIf } from '#analysis/what-if/what-if.ts';
import type { Result } from '#contract/result.ts';
import { makeResult } from '../../../support/results.ts';
import { makeVantage } from '../../../support/vantages.ts';

const made: Result = makeResult({
  targetId: '00000000-0000-4000-8000-000000000001',
  vantage: makeVantage('CN-BJ', 'telecom'),
  startedAt: Date.UTC(2026, 10, 22),
});

describe('the facts of a Result', () => {
  it('are milestones from the SYN on, and what the server sent', () => {
    const facts = factsOf(made);
    expect(facts).toMatchObject({
      version: 'TLSv1.3',
      http2: true,
      recordOverheadBytes: 22,
      chain: { bytes: 2_410 },
      bodyBytes: 20_480,
      exchange: { rttMs: made.phases.tcp, window: 10, noDelay: true, handshake: [[1_215, 6, 41, 2_478, 281]] },
    });
    expect(facts?.measured.handshake).toBeCloseTo((made.phases.tcp ?? 0) + (made.phases.tls ?? 0), 3);
    expect(facts?.measured.total).toBeCloseTo((made.marks.total ?? 0) - (made.phases.dns ?? 0), 3);
  });

  it('reckon the records that were not kept from the bytes of the body', () => {
    const { answer = [] } = factsOf(made)?.exchange ?? {};
    expect(answer).toHaveLength(5);
    expect(answer.reduce((total, bytes) => total + bytes, 0)).toBeCloseTo(20_480 + 5 * 22, 6);
  });

  it('of a body in a million records, and of segments of a byte, are still played in a moment', () => {
    const http = { ...made.http, bytes: 1_048_576, records: 1_048_576 } as NonNullable<Result['http']>;
    const tiny = { ...made, http, network: { ...made.network, mss: 1 } };
    const facts = factsOf(tiny);
    expect(facts?.exchange.answer.length).toBeLessThanOrEqual(1_100);
    expect(facts?.exchange.segmentBytes).toBe(536);
    const { after } = whatIf(facts as NonNullable<typeof facts>, [{ kind: 'records', bytes: 64 }], 'api');
    expect(after.total).toBeGreaterThan(after.firstBody);
  });

  it('do without the records of an older engine', () => {
    const { wire: _, ...tls } = made.tls as NonNullable<Result['tls']>;
    const facts = factsOf({ ...made, tls });
    expect(facts?.exchange.handshake).toEqual([[2_890]]);
    const { before, after } = whatIf(facts as NonNullable<typeof facts>, [{ kind: 'tls13' }], 'api');
    expect(after).toEqual(before);
  });

  it('count a redirect within an origin by its answer, one to another by all that it took and the next look-up', () => {
    const hop = (url: string): Result => ({
      ...made,
      url,
      phases: { dns: 5, tcp: 30, tls: 31, firstByte: 32, download: 1, total: 99 },
    });
    const end = { ...made, url: 'https://www.example.org/de/' };
    const redirects = (...urls: string[]) => factsOf(end, urls.map(hop))?.redirects;
    expect(redirects()).toEqual(NO_REDIRECTS);
    const answer = { onConnectionMs: 33, onConnectionTrips: 1 };
    expect(redirects('https://www.example.org/')).toEqual({ ...NO_REDIRECTS, ...answer });
    const dns = made.phases.dns ?? 0;
    const other = { ...NO_REDIRECTS, beforeMs: 94 + dns, beforeTrips: 3 };
    expect(redirects('https://example.org/')).toEqual(other);
    expect(redirects('https://example.org/', 'https://www.example.org/')).toEqual({
      ...other,
      ...answer,
      beforeMs: 94 + 5,
    });
    expect(redirects('https://a.example/', 'https://a.example/b')).toEqual({
      ...other,
      beforeMs: 94 + 33 + dns,
      beforeTrips: 4,
    });
  });

  const tls = made.tls as NonNullable<Result['tls']>;
  const spoilt: [string, Partial<Result>][] = [
    ['failed', { ok: false }],
    ['has no TLS', { tls: null }],
    ['has no answer', { http: null }],
    ['was resumed', { tls: { ...tls, resumed: true } }],
    ['spoke another version', { tls: { ...tls, version: 'TLSv1.1' } }],
    ['was measured by a busy prober', { prober: { ...made.prober, clean: false } }],
    ['lost a SYN', { network: { ...made.network, synRetransmits: 1 } }],
    ['lost a segment', { network: { ...made.network, outOfOrder: 1 } }],
    ['ended before its body', { phases: { ...made.phases, download: null } }],
    [
      'has a handshake of gigabytes',
      { tls: { ...tls, wire: [], handshake: { ...tls.handshake, bytesIn: 2_000_000_000 } } },
    ],
    ['has no round-trip time', { phases: { ...made.phases, tcp: 0 } }],
  ];
  it.each(spoilt)('are none where the Result %s', (_, part) => {
    expect(factsOf({ ...made, ...part })).toBeNull();
  });
});
