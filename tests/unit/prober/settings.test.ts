import { describe, expect, it } from 'vitest';
import { proberSettings } from '#workers/prober/settings.ts';

describe('the settings of the prober process', () => {
  it('takes arguments before the environment', () => {
    const env = { ROUNDTRIP_SERVER: 'http://b', ROUNDTRIP_TOKEN: 'rte_from-environment', ROUNDTRIP_DATA: 'here' };
    expect(proberSettings({ server: 'https://a.example/base' }, env)).toEqual({
      server: 'https://a.example/base',
      token: 'rte_from-environment',
      dataDir: 'here/prober',
      logLevel: 'info',
    });
    expect(proberSettings({ data: 'there' }, env)).toMatchObject({ server: 'http://b', dataDir: 'there' });
  });

  it.each([
    [{}, {}, '--server'],
    [{ server: 'monitor.example' }, {}, '"monitor.example"'],
    [{ server: 'ftp://monitor.example' }, {}, 'http://'],
    [{ server: 'https://a', token: 'x' }, {}, '--token'],
    [{ server: 'https://a' }, { LOG_LEVEL: 'loud' }, 'LOG_LEVEL is loud'],
  ])('names what is wrong with %j and %j', (given, env, named) => {
    expect(proberSettings(given, env)).toContain(named);
  });
});
