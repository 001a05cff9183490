import { afterEach, describe, expect, it, vi } from 'vitest';
import { namesToAsk, parseResolvConf } from '#probe/network/search-list.ts';

const KUBERNETES = { domains: ['team.svc.cluster.local', 'svc.cluster.local', 'cluster.local'], ndots: 5 };

describe('the names that are asked for', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('are completed first where the name has fewer dots than ndots, and last where it has as many', () => {
    expect(namesToAsk('shop.prod', KUBERNETES)).toEqual([
      'shop.prod.team.svc.cluster.local',
      'shop.prod.svc.cluster.local',
      'shop.prod.cluster.local',
      'shop.prod',
    ]);
    expect(namesToAsk('a.b.c.d.e.f', { domains: ['x.example'], ndots: 5 })).toEqual([
      'a.b.c.d.e.f',
      'a.b.c.d.e.f.x.example',
    ]);
    expect(namesToAsk('shop', { domains: ['x.example'], ndots: 0 })).toEqual(['shop', 'shop.x.example']);
  });

  it('are the name alone where it is absolute, or there is nothing to search', () => {
    expect(namesToAsk('shop.prod.', KUBERNETES)).toEqual(['shop.prod']);
    expect(namesToAsk('shop.', KUBERNETES)).toEqual(['shop']);
    expect(namesToAsk('shop', { domains: [], ndots: 1 })).toEqual(['shop']);
  });

  it('follow the environment before the file', () => {
    vi.stubEnv('LOCALDOMAIN', 'a.example b.example.');
    vi.stubEnv('RES_OPTIONS', 'rotate ndots:2');
    expect(namesToAsk('shop.prod')).toEqual(['shop.prod.a.example', 'shop.prod.b.example', 'shop.prod']);
    vi.stubEnv('LOCALDOMAIN', '');
    expect(namesToAsk('shop.prod')).toEqual(['shop.prod']);
  });
});

describe('a resolv.conf', () => {
  it.each([
    ['', { domains: null, ndots: null }],
    [
      'nameserver 10.0.0.1\nsearch a.example  b.example.\noptions ndots:5 timeout:1\n',
      { domains: ['a.example', 'b.example'], ndots: 5 },
    ],
    ['search a.example\ndomain b.example # the last one counts\n', { domains: ['b.example'], ndots: null }],
    ['; search a.example\n#options ndots:3\n', { domains: null, ndots: null }],
    ['search .\noptions ndots:99\noptions rotate', { domains: [], ndots: 15 }],
    ['search\toptions.example\noptions ndots:many xndots:3', { domains: ['options.example'], ndots: null }],
  ])('%j says how names are completed', (text, rules) => {
    expect(parseResolvConf(text)).toEqual(rules);
  });
});
