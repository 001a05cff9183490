import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createServer } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { Result } from '#contract/result.ts';
import { run } from '#tests/lab/commands.ts';
import { inNewNamespace, namespaceProblem } from '#tests/lab/namespaces.ts';
import type { Zone } from '../support/dns-server.ts';
import { prepareFolder } from '../support/folder.ts';
import { createAuthority, issue } from '../support/pki.ts';
import { forThisTest, listen, probe } from '../support/probing.ts';

// Names as this machine's other programs find them: glibc's own look-up (getent) beside ours, in a network and with a
// resolv.conf of their own.

const noNamespace = await namespaceProblem();
const ENTRY = path.join(import.meta.dirname, '../../cli/roundtrip.mjs');
const DNS_SERVER = path.join(import.meta.dirname, '../support/dns-server.ts');
const SEARCH = 'search team.svc.cluster.local svc.cluster.local cluster.local\n';

const folder = prepareFolder('search');
beforeAll(async () => {
  await writeFile(path.join(folder, 'hosts'), '127.0.0.1 localhost\n127.0.0.7 printer\n');
});

type Found = { getent: string[]; result: Result; asked: string[] };

/**
 * Looks the name up by getent and by a probe, in this order; `asked` are the probe's queries. A server with the name's certificate
 * listens at 127.0.0.7, port 7; at port 9 nobody does.
 */
async function found(name: string, zone: Zone, resolvConf: string, { aliases = '', port = 9 } = {}): Promise<Found> {
  const file = path.join(folder, 'resolv.conf');
  await writeFile(file, `nameserver 127.0.0.1\n${resolvConf}`);
  const hostAliases = path.join(folder, 'aliases');
  await writeFile(hostAliases, aliases);
  const root = await createAuthority({ name: 'Search root', key: 'ec' });
  const { keyPem, chainPem } = await issue(root, { names: [name] });
  const cacert = path.join(folder, 'root.pem');
  await writeFile(cacert, root.certPem);
  const probing = [ENTRY, 'probe', `https://${name}:${port}/`, '--json', '--cacert', cacert];
  const script = `
    const { execFile } = await import('node:child_process');
    const { createServer } = await import('node:tls');
    const { startDnsServer } = await import(${JSON.stringify(DNS_SERVER)});
    const output = (...command) => new Promise((settle) => execFile(command[0], command.slice(1), (_, out) => settle(out)));
    const dns = await startDnsServer(${JSON.stringify(zone)}, '127.0.0.1', 53);
    const server = createServer(${JSON.stringify({ key: keyPem, cert: chainPem })}, (socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 204 No Content\\r\\n\\r\\n')).on('error', () => {});
    });
    await new Promise((settle) => server.listen(7, '127.0.0.7', settle));
    const getent = await output('getent', 'ahosts', ${JSON.stringify(name)});
    const before = dns.asked.length;
    const probed = await output(process.execPath, ...${JSON.stringify(probing)});
    console.log(JSON.stringify({ getent, probed, asked: dns.asked.slice(before) }));
    server.close();
    await dns.close();`;
  const mounts = [file, '/etc/resolv.conf', path.join(folder, 'hosts'), '/etc/hosts'];
  const inside =
    'ip link set lo up && mount --bind "$1" "$2" && mount --bind "$3" "$4" && exec "$5" --input-type=module -e "$6"';
  const command = [...inNewNamespace, '--mount', 'sh', '-c', inside, 'sh', ...mounts, process.execPath, script];
  const { stdout, stderr } = await run(command, { env: { ...process.env, HOSTALIASES: hostAliases } });
  expect(stderr).toBe('');
  const said: { getent: string; probed: string; asked: { name: string; type: string }[] } = JSON.parse(stdout);
  return {
    getent: [
      ...new Set(
        said.getent
          .trim()
          .split('\n')
          .map((line) => line.split(' ')[0] ?? ''),
      ),
    ],
    result: Result.parse(JSON.parse(said.probed)),
    asked: said.asked.map(({ name, type }) => `${name} ${type}`),
  };
}

describe.skipIf(noNamespace !== null)("a name that the machine's search list completes", () => {
  it('is found where getent finds it, by the names that are tried in turn', async () => {
    const zone = { 'shop.prod.svc.cluster.local': ['127.0.0.7'], 'shop.prod': ['127.0.0.8'] };
    const { getent, result, asked } = await found('shop.prod', zone, `${SEARCH}options ndots:5\n`);
    expect(getent).toEqual(['127.0.0.7']);
    expect(result).toMatchObject({ network: { peerAddress: '127.0.0.7', resolver: '127.0.0.1' } });
    expect(asked.slice(0, 2)).toEqual(['shop.prod.team.svc.cluster.local A', 'shop.prod.svc.cluster.local A']);
    expect(result.phases.dns).toBeGreaterThan(0);
  });

  it('is asked for as it is first where it has dots enough, and completed where it does not exist', async () => {
    const zone = { 'shop.prod.svc.cluster.local': ['127.0.0.7'] };
    const { getent, result, asked } = await found('shop.prod', zone, SEARCH);
    expect(getent).toEqual(['127.0.0.7']);
    expect(result.network.peerAddress).toBe('127.0.0.7');
    expect(asked[0]).toBe('shop.prod A');
  });

  it('may have no dot, and be an alias of a name with IPv6 alone', async () => {
    const zone = {
      'shop.svc.cluster.local': { alias: 'six.example' },
      'six.example': ['::1'],
      'shop.cluster.local': [],
    };
    const { getent, result } = await found('shop', zone, SEARCH);
    expect(getent).toEqual(['::1']);
    expect(result.network).toMatchObject({ peerAddress: '::1', family: 6 });
  });

  it('is asked for its other family under the name that was found, and no other', async () => {
    const zone = { 'shop.prod.svc.cluster.local': ['127.0.0.7'], 'shop.prod': ['::1'] };
    const { result, asked } = await found('shop.prod', zone, `${SEARCH}options ndots:5\n`);
    expect(result.failure).toMatchObject({ reason: 'tcp_refused' });
    expect(result.network).not.toHaveProperty('attempts');
    expect(asked.filter((each) => each.endsWith('AAAA'))).toEqual(['shop.prod.svc.cluster.local AAAA']);
  });

  it('is not completed where a dot ends it', async () => {
    const zone = { 'shop.prod.svc.cluster.local': ['127.0.0.7'], 'shop.prod': ['127.0.0.8'] };
    const { getent, result, asked } = await found('shop.prod.', zone, `${SEARCH}options ndots:5\n`);
    expect(getent).toEqual(['127.0.0.8']);
    expect(result.network.peerAddress).toBe('127.0.0.8');
    expect(asked[0]).toBe('shop.prod A');
  });

  it.each([
    ['exists without an address', { 'shop.prod.svc.cluster.local': [] }, 'dns_no_address'],
    ['could not be found out', { 'shop.prod.svc.cluster.local': 2 }, 'dns_server_failure'],
    ['does not exist', {}, 'dns_not_found'],
  ] satisfies [string, Zone, string][])('fails by what says most: one that %s', async (_, zone, reason) => {
    const { getent, result } = await found('shop.prod', zone, SEARCH);
    expect(getent).toEqual(['']);
    expect(result.failure).toMatchObject({ phase: 'dns', reason });
  });
});

describe.skipIf(noNamespace !== null)('a name that no resolver has', () => {
  it("is found by the machine's own library where that has another source, which the Result says", async () => {
    // The one source that glibc has without further packages: aliases of its own.
    const zone = { 'shop.example': ['127.0.0.7'] };
    const { getent, result, asked } = await found('web', zone, '', { aliases: 'web shop.example\n', port: 7 });
    expect(getent).toEqual(['127.0.0.7']);
    expect(result).toMatchObject({ ok: true, http: { status: 204 } });
    expect(result.network).toMatchObject({ peerAddress: '127.0.0.7', resolver: 'system' });
    expect(result.phases.dns).toBeGreaterThan(0);
    expect(asked[0]).toBe('web A');
    expect(asked).toContain('shop.example A');
  });

  it("is found in the machine's hosts file, and then none is asked", async () => {
    const { getent, result, asked } = await found('printer', {}, '', { port: 7 });
    expect(getent).toEqual(['127.0.0.7']);
    expect(result).toMatchObject({ ok: true, http: { status: 204 } });
    expect(result.network).toMatchObject({ peerAddress: '127.0.0.7', resolver: null });
    expect(result.phases.dns).toBeGreaterThanOrEqual(0);
    expect(asked).toEqual([]);
  });

  it('is found there too where the resolver has it without an address', async () => {
    const zone = { web: [], 'shop.example': ['127.0.0.7'] };
    const { getent, result } = await found('web', zone, '', { aliases: 'web shop.example\n' });
    expect(getent).toEqual(['127.0.0.7']);
    expect(result.network).toMatchObject({ peerAddress: '127.0.0.7', resolver: 'system' });
  });

  it('is not waited for elsewhere for more than 1.5 s, and still does not exist', async () => {
    const silent: Zone = { 'silent.example': null };
    const { result } = await found('web', silent, 'options timeout:3 attempts:1\n', {
      aliases: 'web silent.example\n',
    });
    expect(result.failure).toMatchObject({ phase: 'dns', reason: 'dns_not_found', source: 'target' });
    expect(result.network.resolver).toBe('127.0.0.1');
    expect(result.phases.total).toBeGreaterThanOrEqual(1_490);
    expect(result.phases.total).toBeLessThan(3_000);
  });
});

it("a name of this machine's own hosts file is probed without a query, also where no namespace can be made", async () => {
  const listed = (await readFile('/etc/hosts', 'utf8')).match(/^127\.0\.0\.1\s.*/gm)?.join(' ') ?? '';
  const name = [os.hostname(), 'localhost'].find((each) => listed.split(/\s+/).includes(each)) ?? '';
  expect((await run(['getent', 'ahostsv4', name])).stdout).toMatch(/^127\.0\.0\.1 /);
  const root = await createAuthority({ name: 'Hosts root', key: 'ec' });
  const { keyPem, chainPem } = await issue(root, { names: [name] });
  const server = createServer({ key: keyPem, cert: chainPem }, (socket) => {
    socket.on('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  });
  const { url } = await forThisTest(listen(server, name));
  const { result } = await probe(url, { settings: { caPem: root.certPem } });
  expect(result).toMatchObject({ ok: true, http: { status: 204 }, network: { resolver: null } });
  expect(result.phases.dns).toBeGreaterThanOrEqual(0);
});
