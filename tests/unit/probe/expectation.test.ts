import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Expectation } from '#contract/target.ts';
import { ProbeFailure } from '#probe/failure.ts';
import { MAX_BODY_BYTES } from '#probe/http/exchange.ts';
import { Expected, statusMatches } from '#probe/http/expectation.ts';

/** What is wrong with this answer, or null. */
function verdict(expectation: Partial<Expectation>, status: number, ...pieces: (string | Buffer)[]) {
  const expected = new Expected(Expectation.parse(expectation));
  for (const piece of pieces) expected.take(Buffer.from(piece));
  try {
    expected.check(status);
    return null;
  } catch (error) {
    if (error instanceof ProbeFailure) return error.failure;
    throw error;
  }
}

describe('the status', () => {
  it.each([
    [[], 399, true],
    [[], 400, false],
    [['200'], 200, true],
    [['200'], 201, false],
    [['200-204'], 204, true],
    [['200-204'], 205, false],
    [['4xx'], 404, true],
    [['4xx'], 500, false],
    [['301', '5xx'], 503, true],
  ])('%j takes %d: %s', (wanted, status, taken) => {
    expect(statusMatches(status, wanted)).toBe(taken);
  });

  it('that is wrong is named with what was wanted', () => {
    expect(verdict({ status: ['200-204', '3xx'] }, 404)).toMatchObject({
      phase: 'firstByte',
      reason: 'http_status',
      message: 'the server answered with status 404, not with 200-204, 3xx',
    });
    expect(verdict({}, 500)?.message).toBe('the server answered with status 500');
  });
});

describe('the body', () => {
  it('is searched across its pieces, whatever they are', () => {
    const text = '首包在这里';
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.array(fc.nat(1_000), { maxLength: 8 }), (before, after, cuts) => {
        const body = Buffer.from(`${before}${text}${after}`);
        const places = [0, ...cuts.map((cut) => cut % (body.length + 1)).toSorted((a, b) => a - b), body.length];
        const pieces = places.slice(1).map((place, index) => body.subarray(places[index], place));
        expect(verdict({ bodyContains: text }, 200, ...pieces)).toBeNull();
        expect(verdict({ bodyLacks: text }, 200, ...pieces)?.reason).toBe('http_body_mismatch');
      }),
    );
  });

  it('that lacks what it must hold fails, by name', () => {
    expect(verdict({ bodyContains: 'in stock' }, 200, 'in sto', 'k')).toEqual({
      phase: 'download',
      reason: 'http_body_mismatch',
      source: 'target',
      message: 'the body does not hold "in stock"',
    });
    expect(verdict({ bodyContains: 'x' }, 200)?.reason).toBe('http_body_mismatch');
    expect(verdict({ bodyContains: 'x', status: ['200'] }, 500)?.reason).toBe('http_status');
  });

  it('that holds what it must lack fails, with a long text cut', () => {
    const text = 'error '.repeat(100);
    const message = verdict({ bodyLacks: text }, 200, text)?.message;
    expect(message).toMatch(/^the body holds "error error .*…"$/);
    expect(message?.length).toBeLessThan(140);
  });

  it('is searched in its first MiB alone', () => {
    const filling = Buffer.alloc(MAX_BODY_BYTES - 2, '.');
    expect(verdict({ bodyContains: 'ok' }, 200, filling, 'ok')).toBeNull();
    const beyond = verdict({ bodyContains: 'ok' }, 200, filling, '.ok');
    expect(beyond?.message).toBe('the first MiB of the body does not hold "ok"');
    expect(verdict({ bodyLacks: 'ok' }, 200, filling, '.ok')).toBeNull();
  });
});
