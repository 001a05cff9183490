import { describe, expect, it } from 'vitest';
import { addressProblem } from '#probe/address-guard.ts';
import { parseHosts } from '#probe/hosts-file.ts';

describe('the address guard', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '2001:db8::1',
    '::127.0.0.1',
    'no address',
  ])('refuses %s', (address) => {
    expect(addressProblem(address)).not.toBeNull();
  });

  it.each(['8.8.8.8', '1.1.1.1', '223.5.5.5', '2606:4700:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])(
    'lets %s pass',
    (address) => {
      expect(addressProblem(address)).toBeNull();
    },
  );
});

describe('the hosts file', () => {
  it('is read line by line, comments and nonsense left out', () => {
    const hosts = parseHosts('127.0.0.1 localhost Box # own\n::1 localhost\n# 9.9.9.9 no\nnonsense line\n');
    expect(hosts.get('localhost')).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(hosts.get('box')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(hosts.size).toBe(2);
  });
});
