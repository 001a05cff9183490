import { createServer } from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Result } from '#contract/result.ts';
import { ProbeSettings, type Timeouts } from '#contract/target.ts';
import { libc } from '#probe/kernel/libc.ts';
import { run } from '#tests/lab/commands.ts';
import { inNewNamespace, namespaceProblem } from '#tests/lab/namespaces.ts';
import { deafPort } from '../support/deaf-port.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { type Listening, listen, probe } from '../support/probing.ts';

// A name with several addresses of which some are dead: silent (a full backlog) or refusing, never a mock.

const NAME = 'shop.example';
const SILENT = '127.0.0.2';
const REFUSING = '127.0.0.3';
const LIVE = '127.0.0.1';
const hasIPv6 = Object.values(os.networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));
const noNamespace = await namespaceProblem();
const ENTRY = path.join(import.meta.dirname, '../../cli/roundtrip.mjs');
const hasKernel = libc() !== null;
/** A silent address gets a third of this. */
const TCP_MS = 1_500;
const timeouts: Timeouts = { ...ProbeSettings.parse({}).timeouts, tcp: TCP_MS };

const closing: (() => Promise<unknown>)[] = [];
let caPem: string;
let identity: { key: string; cert: string };

beforeAll(async () => {
  const root = await createAuthority({ name: 'Addresses root', key: 'ec' });
  const leaf = await issue(root, { names: [NAME] });
  caPem = root.certPem;
  identity = { key: leaf.keyPem, cert: leaf.chainPem };
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function server(host = LIVE): Promise<Listening> {
  const listening = await listen(
    createServer(identity, (_, response) => response.end('hello')),
    NAME,
    host,
  );
  closing.push(listening.close);
  return listening;
}

async function silent(port: number, host = SILENT): Promise<void> {
  closing.push((await deafPort({ host, port })).close);
}

/** Probes the name, which a resolver gives these addresses; with the types of the queries that came. */
async function named(url: string, addresses: string[], settings: Partial<ProbeSettings> = {}) {
  const dns = await startDnsServer({ [NAME]: addresses });
  closing.push(dns.close);
  const { result } = await probe(url, { settings: { caPem, timeouts, resolver: dns.resolver, ...settings } });
  return { result, asked: dns.asked.map(({ type }) => type) };
}

const codesOf = ({ findings }: Result) => findings.map(({ code }) => code);
const reasonsOf = ({ network }: Result) => network.attempts?.map(({ address, reason }) => [address, reason]);

/** What holds of every Result: attempts fill the phase, and what is derived from a round trip is of the last one alone. */
function addsUp({ marks, phases, network, tls }: Result): void {
  const attempts = network.attempts ?? [];
  const sum = attempts.reduce((total, { durationMs }) => total + durationMs, 0);
  expect(phases.tcp).toBeCloseTo(sum, 2);
  expect((marks.connect ?? 0) - (marks.namelookup ?? 0)).toBeCloseTo(sum, 2);
  expect(attempts[0]?.atMs).toBe(marks.namelookup ?? 0);
  expect(attempts.at(-1)).toMatchObject({ reason: null, durationMs: network.attemptMs });
  expect(marks.total).toBeGreaterThan(sum);
  // Of a connection of a fifth of a millisecond, told to the thousandth, the ratio is known to one in two hundred.
  const [ratio, attemptMs] = [tls?.handshake.rttRatio ?? 0, network.attemptMs ?? 0];
  expect(Math.abs(ratio - (phases.tls ?? 0) / attemptMs)).toBeLessThanOrEqual(0.05 + (0.001 * ratio) / attemptMs);
}

describe('a name whose first address is dead', () => {
  it('is probed at the next one: a silent address costs its share of the time-out, which stands in the Result', async () => {
    const { port, url } = await server();
    await silent(port);
    const { result } = await named(url, [SILENT, LIVE]);
    expect(result).toMatchObject({ ok: true, network: { peerAddress: LIVE, family: 4 } });
    expect(reasonsOf(result)).toEqual([
      [SILENT, 'tcp_timeout'],
      [LIVE, null],
    ]);
    addsUp(result);
    const [dead] = result.network.attempts ?? [];
    expect(dead?.durationMs).toBeGreaterThanOrEqual(TCP_MS / 3 - 2);
    expect(dead?.durationMs).toBeLessThan(TCP_MS);
    expect(dead?.syns).toBe(hasKernel ? 1 : null);
    expect(result.network.attemptMs).toBeLessThan(TCP_MS / 3);
    const [finding] = result.findings;
    expect(finding).toMatchObject({ code: 'dead_address', severity: 'warning', savesRoundTrips: null });
    expect(finding?.savesMs).toBe(dead?.durationMs);
    expect(finding?.values).toMatchObject({ addresses: SILENT, connected: LIVE, dead: 1, raceMs: 250 });
    expect(codesOf(result)).not.toContain('loss');
  });

  it('loses as much in a race as here where the address refuses at once', async () => {
    const { url } = await server();
    const { result } = await named(url, [REFUSING, LIVE]);
    expect(reasonsOf(result)).toEqual([
      [REFUSING, 'tcp_refused'],
      [LIVE, null],
    ]);
    addsUp(result);
    const { lostMs, raceMs } = result.findings.find(({ code }) => code === 'dead_address')?.values ?? {};
    expect(raceMs).toBe(lostMs);
    expect(lostMs).toBe(result.network.attempts?.[0]?.durationMs);
  });

  it('leaves no trace where the first address answers', async () => {
    const { url } = await server();
    const { result, asked } = await named(url, [LIVE, REFUSING]);
    expect(result.ok).toBe(true);
    expect(result.network).not.toHaveProperty('attempts');
    expect(result.network).not.toHaveProperty('attemptMs');
    expect(codesOf(result)).not.toContain('dead_address');
    expect(asked).toEqual(['A']);
  });

  it('fails where none answers, within the time-out of the phase, and lists all attempts', async () => {
    const { port, url } = await server('127.0.0.9');
    await Promise.all([silent(port), silent(port, '127.0.0.4'), silent(port, '127.0.0.5')]);
    const { result } = await named(url, [SILENT, REFUSING, '127.0.0.4', '127.0.0.5', '127.0.0.6']);
    expect(result.failure).toMatchObject({ phase: 'tcp', reason: 'tcp_timeout', source: 'target' });
    expect(result.failure?.message).toContain(`(tried ${SILENT}, ${REFUSING}, 127.0.0.4, 127.0.0.5)`);
    expect(reasonsOf(result)).toEqual([
      [SILENT, 'tcp_timeout'],
      [REFUSING, 'tcp_refused'],
      ['127.0.0.4', 'tcp_timeout'],
      ['127.0.0.5', 'tcp_timeout'],
    ]);
    expect(result.phases).toMatchObject({ tcp: null, tls: null });
    expect(result.phases.total).toBeGreaterThanOrEqual(TCP_MS - 2);
    expect(result.phases.total).toBeLessThan(2 * TCP_MS);
  });

  it('tries no more than eight addresses', async () => {
    const { url } = await server();
    const refusing = Array.from({ length: 9 }, (_, index) => `127.0.1.${index + 1}`);
    const { result } = await named(url, refusing, { family: 4 });
    expect(result.failure).toMatchObject({ reason: 'tcp_refused' });
    expect(result.network.attempts).toHaveLength(8);
  });
});

describe.skipIf(!hasIPv6)('a name with addresses of both families', () => {
  it('is asked for IPv6 when its IPv4 address refuses, and for that alone', async () => {
    const { url } = await server('::1');
    const { result, asked } = await named(url, [LIVE, '::1']);
    expect(result).toMatchObject({ ok: true, network: { peerAddress: '::1', family: 6 } });
    expect(asked).toEqual(['A', 'AAAA']);
    addsUp(result);
  });

  it('is asked for IPv6 while its only IPv4 address is silent, which then gets no more than its share', async () => {
    const { port, url } = await server('::1');
    await silent(port);
    const { result } = await named(url, [SILENT, '::1']);
    expect(reasonsOf(result)).toEqual([
      [SILENT, 'tcp_timeout'],
      ['::1', null],
    ]);
    addsUp(result);
  });

  it('is probed by the families in turn', async () => {
    const { url } = await server('127.0.0.9');
    const { result } = await named(url, [REFUSING, '127.0.0.4', '::1']);
    expect(result.network.attempts?.map(({ address }) => address)).toEqual([REFUSING, '::1', '127.0.0.4']);
  });

  it('is probed by the pinned family alone', async () => {
    const { url } = await server('::1');
    const { result, asked } = await named(url, [LIVE, '::1'], { family: 4 });
    expect(result.failure).toMatchObject({ phase: 'tcp', reason: 'tcp_refused', source: 'target' });
    expect(result.network).not.toHaveProperty('attempts');
    expect(asked).toEqual(['A']);
  });
});

describe('an address that this prober cannot or must not reach', () => {
  /** Probes fixed addresses in a network that has nothing but its loopback, and these commands done to it. */
  async function alone(addresses: string, ...commands: string[]): Promise<Result> {
    const probing = `'${process.execPath}' '${ENTRY}' probe https://${NAME}:9/ --json --resolve ${NAME}:9:${addresses}`;
    const script = ['ip link set lo up', ...commands, probing].join(' && ');
    const [command = '', ...args] = inNewNamespace;
    const { stdout, stderr } = await run([command, ...args, 'sh', '-c', script]);
    expect(stderr).toBe('');
    return Result.parse(JSON.parse(stdout.trim()));
  }

  it.skipIf(noNamespace !== null)('is passed over, and the target is not blamed for it', async () => {
    const passed = await alone(`[2001:db8::1],${LIVE}`);
    expect(passed.failure).toMatchObject({ phase: 'tcp', reason: 'tcp_refused', source: 'target' });
    expect(reasonsOf(passed)).toEqual([
      ['2001:db8::1', 'prober_offline'],
      [LIVE, 'tcp_refused'],
    ]);
    const last = await alone(`${LIVE},[2001:db8::1]`, 'ip -6 route add unreachable default');
    expect(last.failure).toMatchObject({ phase: 'tcp', reason: 'tcp_refused', source: 'target' });
    expect(reasonsOf(last)?.[1]).toEqual(['2001:db8::1', 'prober_offline']);
    const none = await alone('[2001:db8::1]', 'ip -6 route add unreachable default');
    expect(none.failure).toMatchObject({ phase: 'tcp', reason: 'prober_offline', source: 'prober' });
  });

  it('gets no packet where it is not public, whatever stands before it', async () => {
    const { url, open } = await server();
    const settings = { caPem, timeouts, address: '10.0.0.1' };
    const { result } = await probe(url, { settings, otherAddresses: [LIVE], allowPrivate: false });
    expect(result.failure).toMatchObject({ phase: 'tcp', reason: 'address_not_allowed' });
    expect(reasonsOf(result)).toEqual([
      ['10.0.0.1', 'address_not_allowed'],
      [LIVE, 'address_not_allowed'],
    ]);
    expect(open.size).toBe(0);
  });
});
