import { describe, expect, it } from 'vitest';
import { addressProblem, isInNetworks, isPrivateHost } from '#contract/public-address.ts';
import { MOST_ATTEMPTS } from '#contract/result.ts';
import { checkedAddresses } from '#server/webhooks/address-guard.ts';
import { words } from '../../support/words.ts';

const answering =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('the guard of addresses', () => {
  it.each([
    ...words(`
      127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200 168.63.129.16 0.0.0.0
      224.0.0.1 255.255.255.255 ::1 :: fe80::1 fc00::1 ff02::1 192.0.2.1 ::ffff:7f00:1 fd00:ec2::254 ::ffff:127.0.0.1
      ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: ::a00:1 ::93.184.216.34 ::ffff:0:10.0.0.1 64:ff9b:1::5db8:d822
      64:ff9b:1:a00:0:100:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1 2001:20::1 3fff::1 100::1 5f00::1 fec0::1
      4000::1 2606:2800:220:1::5efe:10.0.0.1 2606:2800:220:1:200:5efe:10.0.0.1 192.0.0.8 198.18.0.1 240.0.0.1
    `),
    'not an address',
  ])('refuses %s', (address) => {
    expect(addressProblem(address)).toContain(address);
  });

  it.each(
    words(`
      93.184.216.34 2606:2800:220:1:248:1893:25c8:1946 2001:4860:4860::8888 ::ffff:93.184.216.34
      64:ff9b::93.184.216.34 223.5.5.5 2606:4700:4700::1111
    `),
  )('lets %s pass', (address) => {
    expect(addressProblem(address)).toBeNull();
  });

  it.each([
    ['10.1.2.3', '10.0.0.0/8'],
    ['::ffff:10.1.2.3', '10.0.0.0/8'],
    ['64:ff9b::a01:203', '10.0.0.0/8'],
    ['2002:a01:203::', '10.1.2.3'],
    ['fd00::1', 'fd00::/8'],
    ['::1', '::1'],
  ])('finds %s in %s', (address, network) => {
    expect(isInNetworks(address, ['192.168.0.0/16', network])).toBe(true);
  });

  it.each([
    ['11.1.2.3', '10.0.0.0/8'],
    ['10.1.2.3', '::/0'],
    ['::ffff:10.1.2.3', '::/0'],
    ['fd00::1', '0.0.0.0/0'],
    ['10.1.2.3', '10.1.2.4'],
    ['a name', '0.0.0.0/0'],
  ])('does not find %s in %s', (address, network) => {
    expect(isInNetworks(address, [network])).toBe(false);
  });

  it.each(['localhost', 'db.internal', 'nas.local.', 'x.home.arpa', '10.0.0.1', '::1'])(
    'knows %s by itself',
    (host) => {
      expect(isPrivateHost(host)).toBe(true);
    },
  );

  it.each(['example.com', 'localhost.example', '8.8.8.8'])('knows nothing against %s by itself', (host) => {
    expect(isPrivateHost(host)).toBe(false);
  });

  it('judges what a name resolves to, and takes all that are public, the families in turn', async () => {
    await expect(checkedAddresses('hook.example', answering('10.0.0.1'))).rejects.toThrow('10.0.0.1 is not a public');
    await expect(checkedAddresses('hook.example', answering())).rejects.toThrow('hook.example has no address');
    const names = answering('127.0.0.1', '2606:4700::1', '2606:4700::2', '10.0.0.1', '93.184.216.34');
    const taken = await checkedAddresses('hook.example', names);
    expect(taken.map(({ address }) => address)).toEqual(['2606:4700::1', '93.184.216.34', '2606:4700::2']);
    const many = Array.from({ length: MOST_ATTEMPTS + 1 }, (_, last) => `93.184.216.${last}`);
    expect(await checkedAddresses('hook.example', answering(...many))).toHaveLength(MOST_ATTEMPTS);
  });

  it('judges literal addresses, in brackets too, without asking DNS', async () => {
    const never = () => Promise.reject(new Error('asked'));
    await expect(checkedAddresses('[::1]', never)).rejects.toThrow('::1 is not a public address (loopback)');
    await expect(checkedAddresses('127.0.0.1', never)).rejects.toThrow('ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1');
  });
});
