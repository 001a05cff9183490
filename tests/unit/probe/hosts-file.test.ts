import { describe, expect, it } from 'vitest';
import { parseHosts } from '#probe/network/hosts-file.ts';

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
