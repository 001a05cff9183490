import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChainFiles, type LabAuthority, writeChain } from './chains.ts';
import { must } from './commands.ts';
import { SERVER_ADDRESS } from './emulated-path.ts';
import type { LabOptions, Scenario } from './types.ts';

const FIRST_PORT = 4_431;
const CHAIN_BYTES = 1_700;
const RECORD_BYTES = 16_384;
const BODY_BYTES = 24_000;
/** Connections and files of each nginx worker: thousands of probes at once, and some to spare. */
const CONNECTIONS = 8_192;
/** How often it is looked whether nginx has stopped. */
const STOPPING_MS = 5;
const NAME = /^[A-Za-z0-9.-]{1,64}$/;

/** nginx in the server's namespace: the port of each scenario, and a way to serve others. */
export type LabServer = { ports: Record<string, number>; serve(scenarios: Scenario[]): Promise<void> };

/** Starts nginx, and settles once all its ports listen. Throws with nginx's complaint. */
export async function startServer(
  nginx: string,
  inServer: readonly string[],
  folder: string,
  authority: LabAuthority,
  options: LabOptions,
): Promise<LabServer> {
  const chains = new Map<string, ChainFiles>();
  const ports: Record<string, number> = {};
  const configuration = path.join(folder, 'nginx.conf');
  const pidFile = path.join(folder, 'nginx.pid');
  const cpus = options.serverCpus ? ['taskset', '-c', options.serverCpus] : [];
  const errors = ['-e', path.join(folder, 'error.log')];
  const command = [...inServer, ...cpus, nginx, '-p', folder, '-c', configuration, ...errors];
  const start = async (scenarios: Scenario[]) => {
    for (const name of Object.keys(ports)) delete ports[name];
    const servers: string[] = [];
    for (const [index, scenario] of scenarios.entries()) {
      const { name } = scenario;
      if (!NAME.test(name)) throw new Error(`scenario name ${name}: letters, digits, dots and hyphens`);
      if (ports[name]) throw new Error(`two scenarios are named ${name}`);
      ports[name] = FIRST_PORT + index;
      servers.push(await layOut(folder, authority, chains, scenario, FIRST_PORT + index));
    }
    await writeFile(configuration, configurationOf(folder, servers));
    // As a daemon: what was started returns when the ports listen. The keeper ends it with its namespace.
    await must(...command);
  };
  await start(options.scenarios);
  const serve = async (scenarios: Scenario[]) => {
    const pid = (await readFile(pidFile, 'utf8')).trim();
    await must(...command, '-s', 'stop');
    // No event says when it is gone.
    while (existsSync(`/proc/${pid}`)) await sleep(STOPPING_MS);
    await start(scenarios);
  };
  return { ports, serve };
}

/** Writes the certificates and the body of a scenario; gives its part of nginx's configuration. */
async function layOut(
  folder: string,
  authority: LabAuthority,
  chains: Map<string, ChainFiles>,
  scenario: Scenario,
  port: number,
): Promise<string> {
  const { chainBytes: bytes = CHAIN_BYTES, ocsp = scenario.staple ?? false, key = 'ec' } = scenario;
  const file = `chain-${key}-${bytes}${ocsp ? '-ocsp' : ''}`;
  const chain = chains.get(file) ?? (await writeChain(folder, file, authority, { bytes, ocsp, key }));
  chains.set(file, chain);
  const root = path.join(folder, 'www', scenario.name);
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'index.html'), 'x'.repeat(scenario.bodyBytes ?? BODY_BYTES));
  return serverBlock(scenario, port, chain, root);
}

function configurationOf(folder: string, servers: string[]): string {
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
user root;
worker_processes 1;
worker_rlimit_nofile ${CONNECTIONS * 2};
pid ${folder}/nginx.pid;
events { worker_connections ${CONNECTIONS}; }
http {
  access_log off;
  keepalive_requests 100000000;
  default_type text/plain;
  ${scratch.join(' ')}
  ${servers.join('\n')}
}
`;
}

function serverBlock(scenario: Scenario, port: number, files: ChainFiles, root: string): string {
  const { tls, recordBytes = RECORD_BYTES, http2 = false, tickets = true, noDelay = true, ciphers, groups } = scenario;
  const { sessionCache = tickets } = scenario;
  const staple = scenario.staple && files.staple ? `ssl_stapling on; ssl_stapling_file ${files.staple};` : '';
  return `
  server {
    listen ${SERVER_ADDRESS}:${port} ssl${http2 ? ' http2' : ''} backlog=16384;
    ssl_certificate ${files.chain};
    ssl_certificate_key ${files.key};
    ssl_protocols ${tls === undefined ? 'TLSv1.2 TLSv1.3' : `TLSv${tls}`};
    ssl_buffer_size ${recordBytes};
    ssl_session_tickets ${tickets ? 'on' : 'off'};
    ssl_session_cache ${sessionCache ? `shared:s${port}:1m` : 'off'};
    ${ciphers === undefined ? '' : `ssl_ciphers ${ciphers}; ssl_prefer_server_ciphers on;`}
    ${groups === undefined ? '' : `ssl_ecdh_curve ${groups};`}
    tcp_nodelay ${noDelay ? 'on' : 'off'};
    ${staple}
    location / { root ${root}; }
  }`;
}
