import { describe, expect, it } from 'vitest';
import { quantile, Summary, sampleOf } from '#cli/probe/summary.ts';
import { Result } from '#contract/result.ts';
import { makeResult } from '../../support/results.ts';
import { TEST_VANTAGE } from '../../support/tls-target.ts';

function made(tls: number, more: Partial<Result> = {}): Result {
  const startedAt = Date.parse('2026-11-21T08:00:00Z');
  return Result.parse({
    ...makeResult({ targetId: TEST_VANTAGE.id, vantage: TEST_VANTAGE, startedAt, tls }),
    ...more,
  });
}

function summaryOf(results: Result[]): Summary {
  const summary = new Summary();
  for (const result of results) summary.add(sampleOf(result));
  return summary;
}

const busy = { loopDelayMs: 40, inFlight: 9, clean: false };

describe('the summary of many probes', () => {
  it('gives p50, p95 and the longest of each phase, the wire among them', () => {
    const results = Array.from({ length: 100 }, (_, index) => made(index + 1));
    const text = summaryOf(results).text(2_000);
    expect(text).toContain('100 probes in 2.00 s (50.0/s), 0 failed');
    expect(text).toMatch(/\n {2}tls +50\.0 ms +95\.0 ms +100\.0 ms\n/);
    expect(text).toMatch(/\n {2}wire +49\.4 ms +94\.4 ms +99\.4 ms\n/);
    expect(text).toMatch(/\n {2}first byte /);
  });

  it('takes the rate from the starts themselves and tells those that were late', () => {
    const summary = summaryOf([made(10), made(10)]);
    const text = summary.text(9_000, [
      { started: 51, firstAt: 1_000, lastAt: 2_000, late: 2, latestMs: 31 },
      { started: 50, firstAt: 1_010, lastAt: 1_990, late: 1, latestMs: 12.4 },
    ]);
    expect(text).toContain('(100.0/s)');
    expect(text).toContain('3 starts late, by up to 31.0 ms');
  });

  it('keeps what was not clean out of the table, and says how much that was', () => {
    const text = summaryOf([made(10), made(10), made(900, { prober: busy })]).text(1_000);
    expect(text).toContain('1 measured while this machine was busy (not clean), excluded from the table');
    expect(text).not.toContain('900.0 ms');
    const all = summaryOf([made(900, { prober: busy })]).text(1_000);
    expect(all).toContain('900.0 ms');
    expect(all).not.toContain('excluded from the table');
  });

  it('counts failures by reason, and the handshakes that follow a main one apart', () => {
    const failure = { phase: 'tcp', reason: 'tcp_refused', source: 'target', message: 'refused' } as const;
    const summary = summaryOf([
      made(50),
      made(30, { variant: 'resumed' }),
      made(1, { ok: false, failure, tls: null, http: null }),
    ]);
    expect(summary.failures).toBe(1);
    const text = summary.text(1_000);
    expect(text).toContain('2 probes');
    expect(text).toContain('1 further probe (resumed, pinned or redirected)');
    expect(text).toContain('tcp_refused: 1');
    expect(text).toMatch(/\n {2}tls resumed +30\.0 ms/);
  });

  it('takes the nearest rank as a quantile', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2);
    expect(quantile([1, 2, 3, 4], 0.95)).toBe(4);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
