import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { v7 } from 'uuid';
import type { Check } from '#contract/check.ts';
import type { VantageRef } from '#contract/result.ts';
import { ProbeSettings } from '#contract/target.ts';
import { createAuthority, issue } from './pki.ts';

/** Where the tests' probers stand. */
export const TEST_VANTAGE: VantageRef = {
  id: '0197f3a0-0000-7000-8000-000000000001',
  name: 'the test machine',
  country: 'CN',
  region: 'CN-GD',
  city: null,
  carrier: 'telecom',
  asn: 4134,
  access: 'idc',
};

/** A real TLS server on loopback. `handshakes` are the instants (wall clock, ms) at which clients connected. */
export type TlsTarget = { check(overrides?: Partial<Check>): Check; handshakes: number[]; close(): Promise<void> };

export async function startTlsTarget(): Promise<TlsTarget> {
  const authority = await createAuthority({ name: 'Prober test root', key: 'ec' });
  const { chainPem, keyPem } = await issue(authority, { names: ['127.0.0.1'] });
  const handshakes: number[] = [];
  const server = createServer({ cert: chainPem, key: keyPem }, (_, response) => response.end('hello'));
  server.on('secureConnection', () => handshakes.push(Date.now()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const check = (overrides: Partial<Check> = {}): Check => ({
    id: v7(),
    targetId: v7(),
    url: `https://127.0.0.1:${port}/`,
    vantage: TEST_VANTAGE,
    demo: false,
    periodSeconds: 1,
    timeoutMs: 700,
    settings: ProbeSettings.parse({ caPem: authority.certPem }),
    allowPrivate: true,
    ...overrides,
  });
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { check, handshakes, close };
}
