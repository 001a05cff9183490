import { describe, expect, it } from 'vitest';
import { clientAddress, networkOf } from '#server/access/client-address.ts';
import { parseEnvironment } from '#server/environment/environment.ts';

const LOOPBACK = parseEnvironment({}).ROUNDTRIP_TRUSTED_PROXIES;

describe("a client's address", () => {
  it.each([
    ['a stranger’s word about itself is not taken', '198.51.100.7', '203.0.113.1', LOOPBACK, '198.51.100.7'],
    ['nor that of a stranger on a private network', '10.0.0.9', '203.0.113.1', LOOPBACK, '10.0.0.9'],
    ['a proxy on this machine is believed', '127.0.0.1', '203.0.113.1', LOOPBACK, '203.0.113.1'],
    ['also over IPv6, or over IPv4 in IPv6', '::ffff:127.0.0.1', '2001:db8::1', LOOPBACK, '2001:db8::1'],
    ['without a header it is the peer', '127.0.0.1', undefined, LOOPBACK, '127.0.0.1'],
    ['what a client sent to a proxy that appends is not taken', '::1', '1.1.1.1, 203.0.113.1', LOOPBACK, '203.0.113.1'],
    [
      'proxies in a row are all named',
      '127.0.0.1',
      '203.0.113.1, 10.1.2.3',
      ['127.0.0.1', '10.0.0.0/8'],
      '203.0.113.1',
    ],
    ['an unnamed one in the row is the client', '127.0.0.1', '203.0.113.1, 10.1.2.3', LOOPBACK, '10.1.2.3'],
    ['none is trusted where that is said', '127.0.0.1', '203.0.113.1', ['none'], '127.0.0.1'],
    ['garbage ends the row', '127.0.0.1', '203.0.113.1, <script>', LOOPBACK, '127.0.0.1'],
    ['ports are left out', '127.0.0.1', '203.0.113.1:5512', LOOPBACK, '203.0.113.1'],
    ['and brackets', '127.0.0.1', '[2001:db8::1]:443', LOOPBACK, '2001:db8::1'],
    ['without a peer it is nobody’s', undefined, '203.0.113.1', LOOPBACK, 'unknown'],
  ])('%s', (_name, peer, forwarded, trusted, client) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(client);
  });

  it('is counted by its /64 over IPv6, whole over IPv4', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::1'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('198.51.100.7')).toBe('198.51.100.7');
    expect(networkOf('::ffff:198.51.100.7')).toBe('198.51.100.7');
  });

  it('is told by proxies that the environment names; a wrong list is refused by its name', () => {
    const trusted = parseEnvironment({ ROUNDTRIP_TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).ROUNDTRIP_TRUSTED_PROXIES;
    expect(trusted).toEqual(['10.0.0.0/8', '::1']);
    for (const wrong of ['nginx', '10.0.0.0/33', '10.0.0.1,,']) {
      expect(() => parseEnvironment({ ROUNDTRIP_TRUSTED_PROXIES: wrong })).toThrow('ROUNDTRIP_TRUSTED_PROXIES');
    }
  });
});
