import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localPath } from '#app/local-path.ts';
import { words } from '../support/words.ts';

const HERE = 'https://here.example';

describe('where a sign-in leads', () => {
  it.each([
    '/',
    '/targets/0197?from=2026-11-21T00%3A00%3A00Z&to=2026-11-22T00%3A00%3A00Z',
    '/incidents?state=all&cursor=a%2Fb#top',
    '/a//b?next=//elsewhere.example',
  ])('is a path of ours with its query: %s', (path) => {
    expect(localPath(path)).toBe(path);
  });

  it.each([
    null,
    undefined,
    '',
    ...words(`
      targets https://evil.example/ javascript:alert(1) //evil.example ///evil.example /\\evil.example
      \\\\evil.example /a\\b
    `),
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/\u0000',
  ])('is nowhere else: %j', (hostile) => {
    expect(localPath(hostile)).toBe('/');
  });

  it('is on this server, whatever is asked for', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '%2f',
      '%5c',
      '@',
      ':',
      '\t',
      '\r\n',
      '?',
      '#',
      'evil.example',
      'https:',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        expect(new URL(localPath(pieces.join('')), HERE).origin).toBe(HERE);
      }),
    );
  });
});
