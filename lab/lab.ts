import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLabAuthority } from './chains.ts';
import { Part, run } from './commands.ts';
import {
  createNamespaces,
  joinNamespaces,
  type Namespaces,
  PROBER_ADDRESS,
  SERVER_ADDRESS,
  setInitcwnd,
} from './line.ts';
import { findNginx, findOrInstallNginx } from './nginx.ts';
import { startServer } from './server.ts';
import type { Capture, Lab, LabOptions } from './types.ts';

const own = (file: string) => path.join(import.meta.dirname, file);
let opened = 0;

/** Why this machine gives no lab, as a sentence; null where it does. Installs nginx where it may, and says so. */
export async function labProblem(say: (text: string) => void): Promise<string | null> {
  if (process.platform !== 'linux') return 'The lab needs network namespaces, which only Linux has.';
  if (process.getuid?.() !== 0) return 'The lab needs root, to make network namespaces.';
  const tools = await run(['ip', '-V']).catch(() => null);
  if (tools?.status !== 0) return 'The lab needs `ip` (iproute2).';
  const name = `rtlab-${process.pid}-try`;
  const made = await run(['ip', 'netns', 'add', name]);
  if (made.status !== 0) return `No network namespace can be made here: ${made.stderr.trim()}`;
  await run(['ip', 'netns', 'delete', name]);
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
  } catch {
    return 'The lab needs /dev/net/tun.';
  }
  if (await findOrInstallNginx(say)) return null;
  return 'The lab needs nginx, and none was found or could be installed: install it, or set NGINX to its path.';
}

/** Makes a lab. Throws with what failed, and leaves nothing behind. Ask `labProblem` first. */
export async function openLab(options: LabOptions): Promise<Lab> {
  const nginx = findNginx();
  if (!nginx) throw new Error('no nginx is here');
  opened += 1;
  const name = `rtlab-${process.pid}-${opened}`;
  const namespaces = { prober: `${name}-p`, server: `${name}-s` };
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-lab-'));
  const command = [process.execPath, own('keeper.ts'), folder, namespaces.prober, namespaces.server];
  const keeper = new Part("the lab's keeper", command, true);
  const close = async () => {
    keeper.end();
    await keeper.exited();
  };
  try {
    await keeper.line();
    // Whoever the peers run as must reach the certificates.
    await chmod(folder, 0o755);
    return await furnish(options, nginx, namespaces, folder, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function furnish(
  options: LabOptions,
  nginx: string,
  namespaces: Namespaces,
  folder: string,
  close: () => Promise<void>,
): Promise<Lab> {
  const authority = await createLabAuthority();
  const caFile = path.join(folder, 'root.pem');
  await writeFile(caFile, authority.root.certPem);
  await createNamespaces(namespaces);
  const line = await joinNamespaces(namespaces, options);
  const ports = await startServer(nginx, namespaces.server, folder, authority, options);
  const inside = ['ip', 'netns', 'exec', namespaces.prober];
  return {
    proberNamespace: namespaces.prober,
    serverNamespace: namespaces.server,
    address: SERVER_ADDRESS,
    proberAddress: PROBER_ADDRESS,
    ports,
    caFile,
    caPem: authority.root.certPem,
    folder,
    line: line.kind,
    exec: (command, more = {}) => run([...inside, ...command], more),
    spawn: ([file = '', ...args], more = {}) => spawn('ip', [...inside.slice(1), file, ...args], more),
    setInitcwnd: (segments) => setInitcwnd(namespaces, segments),
    drop: (rule) => line.drop(rule),
    lineCounts: () => line.counts(),
    capture: () => startCapture(namespaces.prober, folder, options),
    close,
  };
}

let captures = 0;

async function startCapture(namespace: string, folder: string, options: LabOptions): Promise<Capture> {
  captures += 1;
  const file = path.join(folder, `capture-${captures}.pcap`);
  const cpus = options.serverCpus ? ['taskset', '-c', options.serverCpus] : [];
  const sniffer = new Part('the capture', [...cpus, process.execPath, own('sniffer.ts'), namespace, file]);
  await sniffer.line();
  const stop = async () => {
    sniffer.end();
    const missed = Number(await sniffer.line());
    await sniffer.exited();
    const pcap = await readFile(file);
    await rm(file);
    return { pcap, missed };
  };
  return { stop };
}
