import type { Change } from '#analysis/what-if/what-if.ts';
import type { Scenario } from '#tests/lab/types.ts';

/** A server as it is set: one of nginx's scenarios, or the same of another server. */
export type State = Omit<Scenario, 'name'> & {
  server?: 'nginx' | 'haproxy' | 'apache' | 'node' | 'go';
  /** Initial window of the server's machine, in segments; default 10. */
  window?: number;
  /** Round-trip time (ms), where it is not the run's. */
  rttMs?: number;
  /** The second of two handshakes is judged. */
  resumed?: boolean;
};

/** A server before and after one change (or two), and the change as the model is told it. */
export type Pair = { what: string; changes: Change[]; before: State; after: State };

const PAGE = 24_000;
const VERSIONS = ['1.2', '1.3'] as const;
const tls13: Change = { kind: 'tls13' };

/** nginx's: each kind of change at sizes on both sides of its windows. */
function nginxPairs(rttMs: number): Pair[] {
  const pairs: Pair[] = [];
  const add = (what: string, changes: Change[], before: State, after: State) =>
    pairs.push({
      what,
      changes,
      before: { bodyBytes: PAGE, ...before },
      after: { bodyBytes: PAGE, ...before, ...after },
    });
  for (const chainBytes of [1_700, 5_200, 9_000, 12_500, 13_500, 16_000, 20_480])
    add('TLS 1.3', [tls13], { tls: '1.2', chainBytes }, { tls: '1.3' });
  for (const bodyBytes of [1_000, 60_000])
    add('TLS 1.3', [tls13], { tls: '1.2', key: 'rsa2048', bodyBytes }, { tls: '1.3' });
  for (const tls of VERSIONS) {
    for (const [from, to] of [
      [20_480, 1_700],
      [16_000, 1_700],
      [13_500, 5_200],
      [20_480, 9_000],
    ] as const)
      add('chain', [{ kind: 'chain', bytes: to }], { tls, chainBytes: from }, { chainBytes: to });
    for (const [from, to] of [
      [16_384, 4_096],
      [16_384, 1_400],
      [4_096, 1_400],
    ] as const)
      add('records', [{ kind: 'records', bytes: to }], { tls, recordBytes: from }, { recordBytes: to });
    for (const chainBytes of [5_200, 9_000])
      add('no Nagle', [{ kind: 'noDelay' }], { tls, chainBytes, noDelay: false }, { noDelay: true });
    // Node keeps no session whose chain is larger than 10 kB.
    for (const chainBytes of [1_700, 5_200])
      add('resumption', [{ kind: 'resume' }], { tls, chainBytes, sessionCache: true }, { resumed: true });
    add('HTTP/2', [{ kind: 'http2' }], { tls }, { http2: true });
    add('body', [{ kind: 'compressBody', ratio: 0.25 }], { tls, bodyBytes: 60_000 }, { bodyBytes: 15_000 });
    add('ECDSA', [{ kind: 'ecdsa' }], { tls, key: 'rsa2048' }, { key: 'ec' });
    add('no staple', [{ kind: 'noStaple' }], { tls, chainBytes: 12_500, staple: true }, { staple: false });
  }
  for (const [from, to] of [
    [2, 10],
    [3, 10],
    [4, 10],
    [10, 32],
  ] as const)
    add('window', [{ kind: 'window', segments: to }], { tls: '1.3', chainBytes: 9_000, window: from }, { window: to });
  add('window', [{ kind: 'window', segments: 10 }], { tls: '1.2', chainBytes: 9_000, window: 4 }, { window: 10 });
  add('records', [{ kind: 'records', bytes: 4_096 }], { tls: '1.3', bodyBytes: 100_000 }, { recordBytes: 4_096 });
  add('body', [{ kind: 'compressBody', ratio: 0.25 }], { tls: '1.3', bodyBytes: 100_000 }, { bodyBytes: 25_000 });
  for (const chainBytes of [1_700, 16_000])
    add('edge', [{ kind: 'edge', rttMs: rttMs / 2 }], { tls: '1.3', chainBytes }, { rttMs: rttMs / 2 });
  add(
    'two at once',
    [tls13, { kind: 'chain', bytes: 1_700 }],
    { tls: '1.2', chainBytes: 16_000 },
    { tls: '1.3', chainBytes: 1_700 },
  );
  add('two at once', [tls13, { kind: 'records', bytes: 4_096 }], { tls: '1.2' }, { tls: '1.3', recordBytes: 4_096 });
  return pairs;
}

/** The other servers': what each lets one set. */
function otherPairs(): Pair[] {
  const servers = ['haproxy', 'apache', 'node', 'go'] as const;
  return servers.flatMap((server) => {
    const base: State = { server, bodyBytes: PAGE };
    const chain = (tls: '1.2' | '1.3', from: number): Pair => ({
      what: `chain (${server})`,
      changes: [{ kind: 'chain', bytes: 1_700 }],
      before: { ...base, tls, chainBytes: from },
      after: { ...base, tls, chainBytes: 1_700 },
    });
    const version = (chainBytes: number): Pair => ({
      what: `TLS 1.3 (${server})`,
      changes: [tls13],
      before: { ...base, tls: '1.2', chainBytes },
      after: { ...base, tls: '1.3', chainBytes },
    });
    return [version(1_700), version(16_000), chain('1.2', 16_000), chain('1.3', 16_000), chain('1.3', 9_000)];
  });
}

/** All pairs at a round-trip time, those of nginx first. */
export function pairsAt(rttMs: number): Pair[] {
  return [...nginxPairs(rttMs), ...otherPairs()];
}
