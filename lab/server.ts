import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ChainFiles, type LabAuthority, writeChain } from './chains.ts';
import { must } from './commands.ts';
import { SERVER_ADDRESS } from './line.ts';
import type { LabOptions, Scenario } from './types.ts';

const FIRST_PORT = 4_431;
const CHAIN_BYTES = 1_700;
const RECORD_BYTES = 16_384;
const BODY_BYTES = 24_000;
/** Connections and files of each nginx worker: thousands of probes at once, and some to spare. */
const CONNECTIONS = 8_192;
const NAME = /^[A-Za-z0-9.-]{1,64}$/;

/** Starts nginx in the namespace, and gives each scenario's port once they all listen. Throws with nginx's complaint. */
export async function startServer(
  nginx: string,
  namespace: string,
  folder: string,
  authority: LabAuthority,
  options: LabOptions,
): Promise<Record<string, number>> {
  const ports: Record<string, number> = {};
  const servers: string[] = [];
  const chains = new Map<string, ChainFiles>();
  for (const [index, scenario] of options.scenarios.entries()) {
    if (!NAME.test(scenario.name)) throw new Error(`scenario name ${scenario.name}: letters, digits, dots and hyphens`);
    if (ports[scenario.name]) throw new Error(`two scenarios are named ${scenario.name}`);
    const { chainBytes = CHAIN_BYTES, staple = false } = scenario;
    const key = `chain-${chainBytes}${staple ? '-stapled' : ''}`;
    const chain = chains.get(key) ?? (await writeChain(folder, key, authority, chainBytes, staple));
    chains.set(key, chain);
    const root = path.join(folder, 'www', scenario.name);
    await mkdir(root, { recursive: true });
    await writeFile(path.join(root, 'index.html'), 'x'.repeat(scenario.bodyBytes ?? BODY_BYTES));
    ports[scenario.name] = FIRST_PORT + index;
    servers.push(serverBlock(scenario, FIRST_PORT + index, chain, root));
  }
  const configuration = path.join(folder, 'nginx.conf');
  await writeFile(configuration, configurationOf(folder, servers, options));
  const cpus = options.serverCpus ? ['taskset', '-c', options.serverCpus] : [];
  // As a daemon: what was started returns when the ports listen. The keeper ends it with its namespace.
  const errors = path.join(folder, 'error.log');
  await must('ip', 'netns', 'exec', namespace, ...cpus, nginx, '-p', folder, '-c', configuration, '-e', errors);
  return ports;
}

function configurationOf(folder: string, servers: string[], options: LabOptions): string {
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
user root;
worker_processes ${options.serverProcesses ?? 1};
worker_rlimit_nofile ${CONNECTIONS * 2};
pid ${folder}/nginx.pid;
events { worker_connections ${CONNECTIONS}; }
http {
  access_log off;
  default_type text/plain;
  ${scratch.join(' ')}
  ${servers.join('\n')}
}
`;
}

function serverBlock(scenario: Scenario, port: number, files: ChainFiles, root: string): string {
  const { tls, recordBytes = RECORD_BYTES, http2 = false, tickets = true } = scenario;
  const staple = files.staple ? `ssl_stapling on; ssl_stapling_file ${files.staple};` : '';
  return `
  server {
    listen ${SERVER_ADDRESS}:${port} ssl${http2 ? ' http2' : ''} backlog=16384;
    ssl_certificate ${files.chain};
    ssl_certificate_key ${files.key};
    ssl_protocols ${tls === undefined ? 'TLSv1.2 TLSv1.3' : `TLSv${tls}`};
    ssl_buffer_size ${recordBytes};
    ssl_session_tickets ${tickets ? 'on' : 'off'};
    ssl_session_cache ${tickets ? `shared:s${port}:1m` : 'off'};
    ${staple}
    location / { root ${root}; }
  }`;
}
