import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultThreads, proberSettings } from '#workers/prober/settings.ts';

describe('the settings of the prober process', () => {
  it('takes arguments before the environment', () => {
    const env = {
      ROUNDTRIP_SERVER: 'https://b',
      ROUNDTRIP_TOKEN: 'rte_from-environment',
      ROUNDTRIP_DATA: 'here',
      ROUNDTRIP_THREADS: '3',
      ROUNDTRIP_SPOOL_MB: '64',
    };
    expect(proberSettings({ server: 'https://a.example/base' }, env)).toEqual({
      server: 'https://a.example/base',
      token: 'rte_from-environment',
      dataDir: 'here/prober',
      logLevel: 'info',
      threads: 3,
      spoolBytes: 64 * 1024 * 1024,
      allowPrivate: [],
    });
    expect(proberSettings({ threads: '8' }, env)).toMatchObject({ threads: 8 });
    expect(proberSettings({ data: 'there' }, env)).toMatchObject({ server: 'https://b', dataDir: 'there' });
  });

  it('takes empty variables for such as are not set', () => {
    const names = ['TOKEN', 'TOKEN_FILE', 'DATA', 'THREADS', 'ALLOW_PRIVATE', 'INSECURE_SERVER', 'SPOOL_MB'];
    const empty = Object.fromEntries(
      [...names.map((name) => `ROUNDTRIP_${name}`), 'LOG_LEVEL'].map((name) => [name, '']),
    );
    const server = 'https://a.example';
    expect(proberSettings({ server }, empty)).toEqual(proberSettings({ server }, {}));
    expect(proberSettings({}, { ROUNDTRIP_SERVER: '' })).toBe(proberSettings({}, {}));
  });

  it.each([
    [{}, {}, '--server'],
    [{ server: 'monitor.example' }, {}, '"monitor.example"'],
    [{ server: 'ftp://monitor.example' }, {}, 'http://'],
    [{ server: 'https://a', token: 'x' }, {}, '--token'],
    [{ server: 'https://a' }, { LOG_LEVEL: 'loud' }, 'LOG_LEVEL is loud'],
    [{ server: 'https://a', threads: '0' }, {}, '--threads is "0"'],
    [{ server: 'https://a', threads: '65' }, {}, 'from 1 to 64'],
    [{ server: 'https://a' }, { ROUNDTRIP_THREADS: 'all' }, '--threads is "all"'],
    [
      { server: 'https://a' },
      { ROUNDTRIP_SPOOL_MB: '1 GB' },
      'ROUNDTRIP_SPOOL_MB is "1 GB": give a whole number of MiB',
    ],
    [
      { server: 'https://a', allowPrivate: ['10.0.0.0/8', 'lan'] },
      {},
      '--allow-private (or ROUNDTRIP_ALLOW_PRIVATE) has "lan"',
    ],
    [{ server: 'https://a' }, { ROUNDTRIP_ALLOW_PRIVATE: '10.0.0.0/33' }, 'has "10.0.0.0/33", which is neither'],
    [{ server: 'https://a' }, { ROUNDTRIP_INSECURE_SERVER: 'yes' }, 'ROUNDTRIP_INSECURE_SERVER is yes'],
    [{ server: 'https://a' }, { ROUNDTRIP_SPOOL_MB: '15' }, 'from 16 to 1048576'],
    [{ server: 'https://a' }, { ROUNDTRIP_SPOOL_MB: '1048577' }, 'from 16 to 1048576'],
  ])('names what is wrong with %j and %j', (given, env, named) => {
    expect(proberSettings(given, env)).toContain(named);
  });

  it.each(['https://user:secret@monitor.example', 'user:secret@monitor.example', 'ftp://secret@monitor.example'])(
    'refuses a server with a password and does not repeat it: %s',
    (server) => {
      const said = proberSettings({}, { ROUNDTRIP_SERVER: server });
      expect(said).toContain('***@monitor.example');
      expect(said).not.toContain('secret');
    },
  );

  it.each(['http://monitor.example', 'http://web:3000', 'HTTP://10.0.0.1', 'http://127.0.0.1.example', 'http://[::2]'])(
    'takes a server without TLS only where it is told to: %s',
    (server) => {
      const settings = expect.objectContaining({ server });
      expect(proberSettings({ server }, {})).toContain('--insecure-server');
      expect(proberSettings({ server }, { ROUNDTRIP_INSECURE_SERVER: '0' })).toContain('without TLS');
      expect(proberSettings({ server, insecureServer: true }, {})).toEqual(settings);
      expect(proberSettings({ server }, { ROUNDTRIP_INSECURE_SERVER: '1' })).toEqual(settings);
    },
  );

  it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
    'takes a server of this machine without TLS: %s',
    (server) => {
      expect(proberSettings({ server }, {})).toMatchObject({ server });
    },
  );

  it('takes private networks of the arguments, else of the environment, none by default', () => {
    const env = { ROUNDTRIP_ALLOW_PRIVATE: '10.0.0.0/8, fd00::/8,' };
    expect(proberSettings({ server: 'https://a' }, env)).toMatchObject({ allowPrivate: ['10.0.0.0/8', 'fd00::/8'] });
    const given = { server: 'https://a', allowPrivate: ['192.168.1.0/24', '127.0.0.1,::1'] };
    expect(proberSettings(given, env)).toMatchObject({ allowPrivate: ['192.168.1.0/24', '127.0.0.1', '::1'] });
  });

  it('takes the token of a file where neither an argument nor a variable has one', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-token-'));
    const file = path.join(folder, 'token');
    const settings = (given = {}, env = {}) =>
      proberSettings({ server: 'https://a', ...given }, { ROUNDTRIP_TOKEN_FILE: file, ...env });
    // One that is not there yet, or empty, is none: an enrolled prober goes on.
    expect(settings()).toMatchObject({ token: undefined });
    writeFileSync(file, '\n');
    expect(settings()).toMatchObject({ token: undefined });
    writeFileSync(file, 'rte_from-the-file\n');
    expect(settings()).toMatchObject({ token: 'rte_from-the-file' });
    expect(settings({}, { ROUNDTRIP_TOKEN: 'rte_from-environment' })).toMatchObject({ token: 'rte_from-environment' });
    expect(settings({ token: 'rte_from-argument' })).toMatchObject({ token: 'rte_from-argument' });
    for (const text of ['short', 'x'.repeat(201)]) {
      writeFileSync(file, text);
      expect(settings()).toBe(
        `What ROUNDTRIP_TOKEN_FILE names (${file}) is not an enrolment token: one begins with rte_`,
      );
    }
    expect(settings({}, { ROUNDTRIP_TOKEN_FILE: folder })).toBe(
      `ROUNDTRIP_TOKEN_FILE is ${folder}, which cannot be read (EISDIR)`,
    );
    rmSync(folder, { recursive: true });
  });

  it('gives results 1 GiB of disk where nothing else is said', () => {
    expect(proberSettings({ server: 'https://a' }, {})).toMatchObject({ spoolBytes: 1024 ** 3 });
  });

  it('leaves a core to the rest, where there are several, and takes four threads at most', () => {
    expect([1, 2, 3, 5, 64].map(defaultThreads)).toEqual([1, 1, 2, 4, 4]);
  });
});
