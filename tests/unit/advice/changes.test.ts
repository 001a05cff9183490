import { describe, expect, it } from 'vitest';
import { type AdviceOptions, adviceOf } from '#analysis/advice/advice.ts';
import { changesThatPay } from '#analysis/advice/changes.ts';
import type { Change } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { adviseResult, type Changed, repeated, vantageAt, waitOf } from '../../support/advised.ts';

const payingOf = (results: Result[], options: AdviceOptions = {}) =>
  changesThatPay(results, adviceOf(results, options), options);

const marks = (tlsTrips: number, answerTrips: number, rttMs: number) => {
  const [connect, appconnect] = [rttMs, rttMs * (1 + tlsTrips)];
  const starttransfer = appconnect + rttMs * answerTrips;
  return { namelookup: 0, connect, appconnect, pretransfer: appconnect, starttransfer, total: starttransfer };
};

/** TLS 1.2 at some round-trip time, its marks in round trips. */
function tls12(rttMs: number): Result {
  const changed: Changed = {
    rttMs,
    vantage: vantageAt('CN-SH', 'telecom', rttMs),
    tls: { version: 'TLSv1.2', cipher: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', falseStart: true },
    handshake: { roundTrips: 2, expectedRoundTrips: 2, wireMs: 2 * rttMs },
    certificate: { keyType: 'rsa', keyBits: 2_048, chainBytes: 3_000 },
    roundTrips: { tls: { took: 2, expected: 2 } },
  };
  return { ...adviseResult(changed), marks: marks(2, 1, rttMs) };
}

describe('the changes that pay', () => {
  it('are those by which the model saves more than its error, to each kind of client', () => {
    const [first, ...others] = payingOf([tls12(20), tls12(60)]);
    expect(first?.changes).toEqual([{ kind: 'tls13' }]);
    expect(first?.gains.api.handshake).toBe(40);
    expect(first?.gains.browser.firstUsable).toBeLessThan(2);
    expect(others).toEqual([]);
  });

  it('are weighed as advice is', () => {
    const weightOf = (vantage: { name: string } | null) => (vantage?.name.endsWith(' 60') ? 1 : 0);
    expect(payingOf([tls12(20), tls12(60)], { weightOf })[0]?.gains.api.handshake).toBe(60);
  });

  it('are together what one connection to this server has: no edge, no lookup, no redirect', () => {
    const results = [tls12(20), tls12(60)];
    const [advised] = adviceOf(results);
    if (!advised) throw new Error('nothing is advised');
    const withChange = (change: Change) => ({ ...advised, changes: [change] });
    const elsewhere = [withChange({ kind: 'edge', rttMs: 10 }), withChange({ kind: 'dns', ms: 5 })];
    const rows = changesThatPay(results, [advised, ...elsewhere, withChange({ kind: 'noRedirect' })]);
    expect(rows.map(({ changes, together }) => [changes[0]?.kind, together])).toEqual([
      ['tls13', false],
      ['edge', false],
      ['dns', false],
      ['noRedirect', false],
    ]);
    const two = changesThatPay(results, [advised, ...elsewhere, withChange({ kind: 'noDelay' })]);
    expect(two.at(-1)).toMatchObject({ together: true, changes: [{ kind: 'tls13' }, { kind: 'noDelay' }] });
  });

  it('are none for a healthy server', () => {
    expect(payingOf(repeated(5))).toEqual([]);
  });

  it('leave out what the check pins', () => {
    const pinned = [20, 60].map((rttMs) => {
      const result = tls12(rttMs);
      const hellos = result.tls?.hellos;
      return {
        ...result,
        tls: result.tls && { ...result.tls, hellos: hellos && { ...hellos, offeredVersions: ['TLSv1.2'] } },
      };
    });
    expect(payingOf(pinned)).toEqual([]);
  });
});

describe('the changes that pay leave out what advice never says', () => {
  const kinds = (results: Result[]) =>
    payingOf(results, { settings: { compression: true } }).flatMap(({ changes }) => changes.map(({ kind }) => kind));
  /** A body of 60 kB in records of 16 kB, which a window of ten segments holds up. */
  const large = (changed: Changed = {}) =>
    [20, 60].map((rttMs) => {
      const result = adviseResult({
        ...changed,
        rttMs,
        vantage: vantageAt('CN-SH', 'telecom', rttMs),
        http: { bytes: 60_000, records: 4, maxRecordBytes: 16_413, firstBodyRecordBytes: 16_413, encoding: null },
        roundTrips: { firstBody: { took: 2, expected: 1 }, download: { took: 2, expected: 0 } },
      });
      return { ...result, marks: marks(1, 2, rttMs) };
    });

  it('smaller records and compression pay for a page', () => {
    expect(kinds(large())).toEqual(expect.arrayContaining(['records', 'compressBody']));
  });

  it('compression of what is compressed', () => {
    expect(kinds(large({ url: 'https://a.example/photo.webp' }))).not.toContain('compressBody');
  });

  it('a larger window on a path that loses packets', () => {
    const [slow] = [
      adviseResult({
        handshake: { bytesIn: 9_000, wireMs: 90, roundTrips: 3 },
        tls: { flightBytes: 9_000 },
        certificate: { chainBytes: 8_000 },
        roundTrips: {
          tls: { took: 3, expected: 1 },
          serverWindow: { segments: 3, bytes: 4_344, exact: true },
          waits: [waitOf({ afterBytes: 4_344, segments: 3 })],
        },
      }),
    ].map((result) => ({ ...result, marks: marks(2, 1, 30) })) as [Result];
    const lossy = { ...slow, network: { ...slow.network, retransmits: 2 } };
    expect(kinds([slow, slow, slow])).toContain('window');
    expect(kinds([slow, slow, slow, lossy, lossy])).not.toContain('window');
  });

  it('smaller records on a server with no processor to spare', () => {
    expect(kinds(large({ handshake: { workMs: 40 } }))).not.toContain('records');
  });
});

describe('advice by the model', () => {
  it('says what a larger window saves, where a window of 3 segments makes two pauses', () => {
    const result = adviseResult({
      handshake: { bytesIn: 9_000, wireMs: 90, roundTrips: 3 },
      tls: { flightBytes: 9_000 },
      certificate: { chainBytes: 8_000 },
      roundTrips: {
        tls: { took: 3, expected: 1 },
        serverWindow: { segments: 3, bytes: 4_344, exact: true },
        waits: [waitOf({ afterBytes: 4_344, segments: 3 })],
      },
    });
    const slow = { ...result, marks: marks(2, 1, 30) };
    const found = adviceOf([slow, slow, slow]).find(({ code }) => code === 'small_window');
    expect(found?.savesMs.handshake).toBe(30);
  });
});
