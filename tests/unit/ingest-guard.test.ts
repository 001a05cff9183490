import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Result } from '#contract/result.ts';
import { compileGuard } from '#server/ingest/guard.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const guard = compileGuard(Result);
const vantage = makeVantage('CN-GD', 'telecom');
const valid = makeResult({ targetId: vantage.id, vantage, startedAt: Date.parse('2026-11-21T08:00:00Z') });

/** Every path in a value, `tls.wire.0.bytes` and the like. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, field]) => pathsOf(field, [...path, key]))];
}

function withChange(value: unknown, [key, ...rest]: string[], change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = withChange(copy[key], rest, change);
  return copy;
}

describe('the guard of a schema', () => {
  it('lets a healthy result pass without asking Zod', () => {
    expect(guard(valid)).toBe(true);
    expect(guard({ ...valid, tls: null, http: null })).toBe(true);
  });

  it('never passes what Zod refuses or would change, wherever a result is spoilt', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(
        undefined,
        -1,
        0.5,
        2 ** 31,
        2 ** 53,
        600_001,
        '',
        'x'.repeat(2_100),
        'a\0b',
        'half \ud800',
        '0000-01-01T00:00:00.000Z',
        Number.NaN,
        [],
        {},
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(...pathsOf(valid)), odd, fc.boolean(), (path, value, add) => {
        const spoil = (old: unknown) =>
          add && typeof old === 'object' && old !== null && !Array.isArray(old) ? { ...old, surprise: value } : value;
        const spoilt = withChange(valid, path, spoil);
        if (!guard(spoilt)) return;
        expect(Result.parse(spoilt)).toEqual(spoilt);
      }),
      { numRuns: 5_000 },
    );
  });

  it('knows refinements of a value, but none that have to be waited for', () => {
    expect(['a', 'b'].map(compileGuard(z.string().refine((value) => value === 'a')))).toEqual([true, false]);
    expect(compileGuard(z.string().refine(async () => true))('a')).toBe(false);
  });

  it('leaves to Zod what it does not know', () => {
    expect(compileGuard(z.object({ a: z.bigint() }))({ a: 1n })).toBe(false);
    expect(compileGuard(z.string().trim())(' a')).toBe(false);
    expect(compileGuard(z.string().refine(() => false))('a')).toBe(false);
    expect(compileGuard(z.strictObject({ a: z.string() }))({ a: 'a' })).toBe(false);
  });
});
