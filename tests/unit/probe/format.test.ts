import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStorable } from '#contract/bounds.ts';
import { ProbeFailure } from '#probe/failure.ts';
import { fitting } from '#probe/format.ts';

describe('a text that a stranger sent', () => {
  it('is one that the contract lets in, whatever it holds and wherever it is cut', () => {
    const units = fc.string({ unit: 'binary', maxLength: 60 });
    const halves = fc.constantFrom('\ud83d', '\ude00', '\0', '😀');
    fc.assert(
      fc.property(fc.array(fc.oneof(units, halves)), fc.nat(80), (pieces, max) => {
        const text = fitting(pieces.join(''), max);
        expect([text.length <= max, isStorable(text)]).toEqual([true, true]);
      }),
    );
    expect(fitting('plain', 10)).toBe('plain');
  });

  it('in the message of a failure too', () => {
    const { failure } = new ProbeFailure('tls', 'tls_error', 'target', `a\0b${'😀'.repeat(600)}`);
    expect([failure.message.length, failure.message.slice(0, 3)]).toEqual([1_000, 'a\uFFFDb']);
    expect(isStorable(failure.message)).toBe(true);
  });
});
