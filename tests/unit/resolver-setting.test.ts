import { describe, expect, it } from 'vitest';
import { parseResolver } from '#contract/resolver.ts';
import { ProbeSettings } from '#contract/target.ts';
import { words } from '../support/words.ts';

describe('the resolver setting', () => {
  it.each([
    ['192.0.2.53', { address: '192.0.2.53', port: 53 }],
    ['192.0.2.53:1', { address: '192.0.2.53', port: 1 }],
    ['192.0.2.53:65535', { address: '192.0.2.53', port: 65_535 }],
    ['2001:db8::53', { address: '2001:db8::53', port: 53 }],
    ['[2001:db8::53]:5353', { address: '2001:db8::53', port: 5_353 }],
    ['::ffff:192.0.2.53', { address: '::ffff:192.0.2.53', port: 53 }],
  ])('takes %s', (resolver, parsed) => {
    expect(ProbeSettings.parse({ resolver }).resolver).toBe(resolver);
    expect(parseResolver(resolver)).toEqual(parsed);
  });

  it.each([
    ...words(`
      192.0.2.53:0 192.0.2.53:65536 [2001:db8::53]:0 [2001:db8::53]:65536 999.1.1.1:53 192.0.2.53: [2001:db8::53]
      [2001:db8::zz]:53 dns.example.org
    `),
    '',
  ])('refuses %s by itself and names the field', (resolver) => {
    const { issues } = ProbeSettings.safeParse({ resolver }).error ?? {};
    expect(issues).toMatchObject([{ path: ['resolver'], message: expect.stringContaining('1 to 65535') }]);
  });
});
