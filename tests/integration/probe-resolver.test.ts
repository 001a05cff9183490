import { createServer } from 'node:https';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { realEnvironment } from '#probe/environment.ts';
import { measure } from '#probe/measure.ts';
import { startDnsServer, type Zone } from '../support/dns-server.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { listen, probe, requestFor } from '../support/probing.ts';

const NAME = 'shop.example';
const closing: (() => Promise<unknown>)[] = [];
let caPem: string;
let identity: { key: string; cert: string };

beforeAll(async () => {
  const root = await createAuthority({ name: 'Resolver root', key: 'ec' });
  const leaf = await issue(root, { names: [NAME, 'localhost'] });
  caPem = root.certPem;
  identity = { key: leaf.keyPem, cert: leaf.chainPem };
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function resolverWith(zone: Zone, host?: '::1') {
  const server = await startDnsServer(zone, host);
  closing.push(server.close);
  return server;
}

async function shop(host = NAME): Promise<string> {
  const server = await listen(
    createServer(identity, (_, response) => response.end('hello')),
    host,
  );
  closing.push(server.close);
  return server.url;
}

describe("a target's own resolver", () => {
  it('is asked for the name, and named on the Result', async () => {
    const { resolver, asked } = await resolverWith({ [NAME]: ['127.0.0.1'] });
    const { result } = await probe(await shop(), { settings: { caPem, resolver } });
    expect(result).toMatchObject({ ok: true, network: { resolver, peerAddress: '127.0.0.1', family: 4 } });
    expect(result.phases.dns).toBeGreaterThan(0);
    expect(asked).toEqual([{ name: NAME, type: 'A' }]);
  });

  it('is heard by its own target alone: two resolvers of one thread do not mix', async () => {
    const [right, wrong] = [await resolverWith({ [NAME]: ['127.0.0.1'] }), await resolverWith({})];
    const url = await shop();
    const of = async (resolver: string) => (await probe(url, { settings: { caPem, resolver } })).result;
    const results = await Promise.all([right, wrong, right, wrong].map(({ resolver }) => of(resolver)));
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect(results[1]?.failure).toMatchObject({ phase: 'dns', reason: 'dns_not_found', source: 'target' });
  });

  it('has the last word: the hosts file is not read, which knows localhost', async () => {
    const { resolver, asked } = await resolverWith({});
    const { result } = await probe(await shop('localhost'), { settings: { caPem, resolver } });
    expect(result.failure).toMatchObject({ phase: 'dns', reason: 'dns_not_found' });
    expect(asked).toEqual([{ name: 'localhost', type: 'A' }]);
  });

  it('gives the first of several addresses, and IPv6 where that is asked for', async () => {
    const { resolver, asked } = await resolverWith({ [NAME]: ['127.0.0.1', '127.0.0.2', '::1'] });
    const url = await shop();
    const first = await probe(url, { settings: { caPem, resolver } });
    expect(first.result.network.peerAddress).toBe('127.0.0.1');
    const six = await probe(url, { settings: { caPem, resolver, family: 6 } });
    expect(six.result.network).toMatchObject({ peerAddress: '::1', family: 6 });
    expect(asked.map(({ type }) => type)).toEqual(['A', 'AAAA']);
  });

  it('is asked for IPv6 where a name has no IPv4, unless that is pinned', async () => {
    const { resolver, asked } = await resolverWith({ [NAME]: ['::1'] });
    const url = await shop();
    const any = await probe(url, { settings: { caPem, resolver } });
    expect(any.result.network.peerAddress).toBe('::1');
    const four = await probe(url, { settings: { caPem, resolver, family: 4 } });
    expect(four.result.failure).toMatchObject({ phase: 'dns', reason: 'dns_no_address', source: 'target' });
    expect(asked.map(({ type }) => type)).toEqual(['A', 'AAAA', 'A']);
  });

  it.each([
    ['of a name with IPv6 alone', { [NAME]: { alias: 'six.example' }, 'six.example': ['::1'] }],
    [
      'of an alias of such a name',
      { [NAME]: { alias: 'a.example' }, 'a.example': { alias: 'six.example' }, 'six.example': ['::1'] },
    ],
  ] satisfies [string, Zone][])('is asked for IPv6 too where a name is an alias %s', async (_, zone) => {
    const { resolver, asked } = await resolverWith(zone);
    const url = await shop();
    const any = await probe(url, { settings: { caPem, resolver } });
    expect(any.result.network).toMatchObject({ peerAddress: '::1', family: 6 });
    const four = await probe(url, { settings: { caPem, resolver, family: 4 } });
    expect(four.result.failure).toMatchObject({ reason: 'dns_no_address', message: `${NAME} has no IPv4 address` });
    expect(asked.map(({ type }) => type)).toEqual(['A', 'AAAA', 'A']);
  });

  it('has no address for an alias of a name without any', async () => {
    const { resolver, asked } = await resolverWith({ [NAME]: { alias: 'none.example' }, 'none.example': [] });
    const { result } = await probe(`https://${NAME}/`, { settings: { resolver } });
    expect(result.failure).toMatchObject({ phase: 'dns', reason: 'dns_no_address', source: 'target' });
    expect(asked.map(({ type }) => type)).toEqual(['A', 'AAAA']);
  });

  it('may stand on an IPv6 address', async () => {
    const { resolver } = await resolverWith({ [NAME]: ['127.0.0.1'] }, '::1');
    const { result } = await probe(await shop(), { settings: { caPem, resolver } });
    expect(result).toMatchObject({ ok: true, network: { resolver } });
  });

  it('is not asked where the address is fixed', async () => {
    const { resolver, asked } = await resolverWith({});
    const { result } = await probe(await shop(), { settings: { caPem, resolver, address: '127.0.0.1' } });
    expect(result).toMatchObject({ ok: true, network: { resolver: null }, phases: { dns: null } });
    expect(asked).toEqual([]);
  });
});

describe('a resolver that does not help', () => {
  const failureWith = async (resolver: string, dns = 5_000) => {
    const timeouts = { ...requestFor('https://x.example/').settings.timeouts, dns };
    const { result } = await probe(`https://${NAME}/`, { settings: { resolver, timeouts } });
    expect(result.phases).toMatchObject({ dns: null, tcp: null });
    return result;
  };

  it('is blamed for its refusal', async () => {
    const { resolver } = await resolverWith({ [NAME]: 5 });
    const { failure, network } = await failureWith(resolver);
    expect(failure).toMatchObject({ phase: 'dns', reason: 'dns_refused', source: 'resolver' });
    expect(network.resolver).toBe(resolver);
  });

  it('is blamed where nobody listens', async () => {
    const { resolver, close } = await startDnsServer({});
    await close();
    expect((await failureWith(resolver)).failure).toMatchObject({ reason: 'dns_refused', source: 'resolver' });
  });

  it('costs the time-out of the phase where it is silent, and is named', async () => {
    const { resolver } = await resolverWith({ [NAME]: null });
    const { failure, network } = await failureWith(resolver, 500);
    expect(failure).toMatchObject({ phase: 'dns', reason: 'dns_timeout', source: 'resolver' });
    expect(network.resolver).toBe(resolver);
  });

  it('is refused where it is not public, unless private addresses are allowed', async () => {
    const { resolver, asked } = await resolverWith({ [NAME]: ['127.0.0.1'] });
    const request = requestFor(`https://${NAME}/`, { settings: { resolver }, allowPrivate: false });
    const { result } = await measure(request, realEnvironment());
    expect(result.failure).toMatchObject({ phase: 'dns', reason: 'address_not_allowed', source: 'target' });
    expect(result.failure?.message).toContain('loopback');
    expect(result.network).toMatchObject({ resolver: null, peerAddress: null });
    expect(asked).toEqual([]);
  });
});
