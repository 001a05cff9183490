import { describe, expect, it } from 'vitest';
import type { ImportedMeasurement } from '#contract/import.ts';
import { Result } from '#contract/result.ts';
import { resultOf } from '#server/imports/imported-result.ts';
import { makeVantage } from '../support/vantages.ts';

const target = { id: '0198f000-0000-7000-8000-000000000001', url: 'https://shop.example.org/' };
const vantage = makeVantage('CN-GD', 'telecom');
const measured = (more: Partial<ImportedMeasurement> = {}): ImportedMeasurement => ({
  ...{ at: '2026-11-01T08:00:00+08:00', country: 'CN', region: 'CN-GD', carrier: 'telecom', ok: true },
  ...more,
});
const made = (more?: Partial<ImportedMeasurement>) => resultOf(measured(more), target, vantage);

describe('an imported measurement', () => {
  it('is a result by the contract, at its instant in UTC, with the phases that were said', () => {
    const result = made({ tlsMs: 41.5, totalMs: 130 });
    expect(Result.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      startedAt: '2026-11-01T00:00:00.000Z',
      phases: { dns: null, tcp: null, tls: 41.5, firstByte: null, download: null, total: 130 },
    });
  });

  it('has the same id whenever it is read, and another one where anything of it differs', () => {
    const { id } = made({ tlsMs: 41.5 });
    expect(id).toBe(made({ tlsMs: 41.5, at: '2026-11-01T00:00:00Z', dnsMs: null, reason: null }).id);
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(Date.parse('2026-11-01T00:00:00Z'));
    const others = [
      made({ tlsMs: 41.6 }),
      made({ tlsMs: 41.5, httpStatus: 200 }),
      made({ tlsMs: 41.5, at: '2026-11-01T00:00:00.001Z' }),
      resultOf(measured({ tlsMs: 41.5 }), { ...target, id: vantage.id }, vantage),
      resultOf(measured({ tlsMs: 41.5 }), target, makeVantage('CN-GD', 'telecom')),
    ];
    expect(new Set([id, ...others.map((each) => each.id)]).size).toBe(6);
  });

  it.each([
    [{ reason: 'dns_timeout' }, 'dns dns_timeout resolver ""'],
    [{ reason: 'dns_not_found' }, 'dns dns_not_found target ""'],
    [{ reason: 'cert_expired', connectMs: 20 }, 'tls cert_expired target ""'],
    [{ reason: 'prober_overloaded' }, 'dns prober_overloaded prober ""'],
    [{ reason: 'http_body_mismatch' }, 'firstByte http_body_mismatch target ""'],
    [{ httpStatus: 503, tlsMs: 40 }, 'firstByte http_status target "HTTP 503"'],
    [{ dnsMs: 3, reason: '超时' }, 'tcp tcp_error target "超时"'],
    [{ dnsMs: 3, connectMs: 20 }, 'tls tls_error target ""'],
    [{ tlsMs: 40, reason: 'timed out' }, 'firstByte http_error target "timed out"'],
    [{}, 'firstByte http_error target ""'],
  ])('that failed with %j is said to be %s', (more, expected) => {
    const { failure } = made({ ok: false, ...more });
    expect(`${failure?.phase} ${failure?.reason} ${failure?.source} "${failure?.message}"`).toBe(expected);
  });
});
