import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '#tests/lab/commands.ts';
import type { Lab } from '#tests/lab/types.ts';
import type { State } from './pairs.ts';

/** A server of another kind at a port of its own. Its certificates are those of an nginx scenario with the same chain. */
export type Other = { state: State; port: number };

const TRY_MS = 50;
const MOST_TRIES = 100;

/** Where they are started: with the server of the lab, with its files. */
type Beside = Pick<Lab, 'inServer' | 'folder' | 'address'>;

/**
 * Starts what is installed of the other servers; gives the names of those that are not. They end with the lab. Each kind is
 * one process, so that HAProxy has one size of records: that of the first.
 */
export async function startOthers(lab: Beside, others: readonly Other[]): Promise<Set<string>> {
  const missing = new Set<string>();
  const starters = { haproxy: haproxyCommand, apache: apacheCommand, node: nodeCommand, go: goCommand };
  for (const [server, commandOf] of Object.entries(starters)) {
    const mine = others.filter(({ state }) => state.server === server);
    if (mine.length === 0) continue;
    const command = await commandOf(lab, mine);
    if (!command) {
      missing.add(server);
      continue;
    }
    const child = spawn(lab.inServer[0] ?? '', [...lab.inServer.slice(1), ...command], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(child, 'spawn');
    for (const { port } of mine) await listening(lab, port);
  }
  return missing;
}

async function listening(lab: Beside, port: number): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { stdout } = await run([...lab.inServer, 'ss', '-tlnH', `sport = :${port}`]);
    if (stdout.includes(`:${port}`)) return;
    await sleep(TRY_MS);
  }
  throw new Error(`nothing listens at ${port}`);
}

const installed = async (...command: string[]) => (await run(command).catch(() => null)) !== null;
const chainFile = (lab: Beside, { key = 'ec', chainBytes = 1_700 }: State) =>
  path.join(lab.folder, `chain-${key}-${chainBytes}`);
const bodyOf = ({ bodyBytes = 0 }: State) => 'x'.repeat(bodyBytes);

async function haproxyCommand(lab: Beside, others: readonly Other[]): Promise<string[] | null> {
  if (!(await installed('haproxy', '-v'))) return null;
  const fronts = await Promise.all(
    others.map(async ({ state, port }) => {
      const chain = chainFile(lab, state);
      const pem = `${chain}-both.pem`;
      await writeFile(pem, `${await readFile(`${chain}.pem`, 'utf8')}\n${await readFile(`${chain}.key`, 'utf8')}`);
      const body = path.join(lab.folder, `haproxy-${port}.txt`);
      await writeFile(body, bodyOf(state));
      const version = state.tls ? `ssl-min-ver TLSv${state.tls} ssl-max-ver TLSv${state.tls}` : '';
      return `
frontend f${port}
  bind ${lab.address}:${port} ssl crt ${pem} alpn h2,http/1.1 ${version}
  http-request return status 200 content-type text/plain file ${body}`;
    }),
  );
  const file = path.join(lab.folder, 'haproxy.cfg');
  const timeouts = 'timeout client 10s\n  timeout server 10s\n  timeout connect 5s';
  const recordBytes = others[0]?.state.recordBytes;
  const record = recordBytes ? `\n  tune.ssl.maxrecord ${recordBytes}` : '';
  await writeFile(
    file,
    `global\n  tune.bufsize 131072${record}\ndefaults\n  mode http\n  ${timeouts}\n${fronts.join('\n')}\n`,
  );
  return ['haproxy', '-db', '-f', file];
}

const APACHE_MODULES = '/usr/lib/apache2/modules';

async function apacheCommand(lab: Beside, others: readonly Other[]): Promise<string[] | null> {
  if (!(await installed('apache2', '-v'))) return null;
  const hosts = await Promise.all(
    others.map(async ({ state, port }) => {
      const root = path.join(lab.folder, `apache-${port}`);
      await mkdir(root, { recursive: true });
      await writeFile(path.join(root, 'index.html'), bodyOf(state));
      const chain = chainFile(lab, state);
      return `
Listen ${lab.address}:${port}
<VirtualHost *:${port}>
  SSLEngine on
  SSLProtocol -all ${state.tls ? `+TLSv${state.tls}` : '+TLSv1.2 +TLSv1.3'}
  SSLCertificateFile ${chain}.pem
  SSLCertificateKeyFile ${chain}.key
  DocumentRoot ${root}
</VirtualHost>`;
    }),
  );
  const modules = ['mpm_event', 'authz_core', 'dir', 'ssl', 'http2'].map(
    (name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`,
  );
  const file = path.join(lab.folder, 'apache.conf');
  const head = ['ServerName lab.test', `PidFile ${lab.folder}/apache.pid`, `ErrorLog ${lab.folder}/apache.log`];
  const rest = ['User nobody', 'Group nogroup', 'DirectoryIndex index.html', 'Protocols h2 http/1.1'];
  await writeFile(file, `${[...modules, ...head, ...rest].join('\n')}\n${hosts.join('\n')}\n`);
  return ['apache2', '-X', '-d', lab.folder, '-f', file];
}

async function nodeCommand(lab: Beside, others: readonly Other[]): Promise<string[]> {
  const list = others.map(({ state, port }) => ({
    chain: chainFile(lab, state),
    port,
    versions: { minVersion: `TLSv${state.tls ?? '1.2'}`, maxVersion: `TLSv${state.tls ?? '1.3'}` },
    bytes: state.bodyBytes,
    record: state.recordBytes,
    http2: state.http2,
  }));
  const program = `
    const { readFileSync } = require('node:fs');
    for (const { chain, port, versions, bytes, record, http2 } of ${JSON.stringify(list)}) {
      const options = { key: readFileSync(chain + '.key'), cert: readFileSync(chain + '.pem'), allowHTTP1: true, ...versions };
      const body = 'x'.repeat(bytes);
      const create = http2 ? require('node:http2').createSecureServer : require('node:https').createServer;
      const server = create(options, (_, response) => response.end(body)).listen(port, '${lab.address}');
      if (record) server.on('secureConnection', (socket) => socket.setMaxSendFragment(record));
    }`;
  return [process.execPath, '-e', program];
}

async function goCommand(lab: Beside, others: readonly Other[]): Promise<string[] | null> {
  const go = (await installed('go', 'version')) ? 'go' : '/usr/local/go/bin/go';
  if (!(await installed(go, 'version'))) return null;
  const servers = others.map(({ state, port }) => {
    const [least, most] = [state.tls ?? '1.2', state.tls ?? '1.3'].map(
      (tls) => `tls.VersionTLS${tls.replace('.', '')}`,
    );
    return `	serve("${lab.address}:${port}", "${chainFile(lab, state)}", ${least}, ${most}, ${state.bodyBytes})`;
  });
  const program = `package main

import (
	"crypto/tls"
	"net/http"
	"strings"
)

func serve(address, chain string, least, most uint16, size int) {
	body := []byte(strings.Repeat("x", size))
	server := &http.Server{
		Addr:      address,
		Handler:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) }),
		TLSConfig: &tls.Config{MinVersion: least, MaxVersion: most},
	}
	go func() { panic(server.ListenAndServeTLS(chain+".pem", chain+".key")) }()
}

func main() {
${servers.join('\n')}
	select {}
}
`;
  const source = path.join(lab.folder, 'main.go');
  const binary = path.join(lab.folder, 'go-server');
  await writeFile(source, program);
  const built = await run([go, 'build', '-o', binary, source]);
  if (built.status !== 0) throw new Error(`go build: ${built.stderr.trim()}`);
  return [binary];
}
