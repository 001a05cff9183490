import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLabAuthority } from './chains.ts';
import { Part, run } from './commands.ts';
import { joinNamespaces, PROBER_ADDRESS, prepareNamespaces, SERVER_ADDRESS, setInitcwnd } from './emulated-path.ts';
import { inNamespaceOf, inNewNamespace, type Namespaces, namespaceProblem } from './namespaces.ts';
import { findNginx, findOrInstallNginx } from './nginx.ts';
import { startServer } from './server.ts';
import type { Capture, Lab, LabOptions } from './types.ts';

const own = (file: string) => path.join(import.meta.dirname, file);

/** Why this machine gives no lab, as a sentence; null where it does. Installs nginx where it may, and says so. */
export async function labProblem(say: (text: string) => void): Promise<string | null> {
  if (process.platform !== 'linux') return 'The lab needs network namespaces, which only Linux has.';
  const tools = await run(['ip', '-V']).catch(() => null);
  if (tools?.status !== 0) return 'The lab needs `ip` (iproute2).';
  const refused = await namespaceProblem();
  if (refused) return refused;
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
  const folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-lab-'));
  const keeper = new Part("the lab's keeper", [...inNewNamespace, process.execPath, own('keeper.ts'), folder], true);
  const close = async () => {
    keeper.end();
    await keeper.exited();
  };
  try {
    const namespaces: Namespaces = JSON.parse(await keeper.line());
    // The peers, which may run as another user, must reach the certificates.
    await chmod(folder, 0o755);
    return await furnish(options, nginx, namespaces, folder, close);
  } catch (error) {
    await close();
    await rm(folder, { recursive: true, force: true });
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
  await prepareNamespaces(namespaces);
  const line = await joinNamespaces(namespaces, options);
  const server = await startServer(nginx, inNamespaceOf(namespaces.server), folder, authority, options);
  const [inProber, inServer] = [inNamespaceOf(namespaces.prober), inNamespaceOf(namespaces.server)];
  const [enter = '', ...into] = inProber;
  return {
    inProber,
    inServer,
    address: SERVER_ADDRESS,
    proberAddress: PROBER_ADDRESS,
    ports: server.ports,
    caFile,
    caPem: authority.root.certPem,
    folder,
    exec: (command, more = {}) => run([...inProber, ...command], more),
    spawn: (command, more = {}) => spawn(enter, [...into, ...command], more),
    setInitcwnd: (segments) => setInitcwnd(namespaces, segments),
    setRtt: (ms) => line.setRtt(ms),
    serve: (scenarios) => server.serve(scenarios),
    drop: (rule) => line.drop(rule),
    startDns: () => startDns(inServer),
    capture: () => startCapture(inProber, folder, options),
    close,
  };
}

const DNS_PORT = 5_300;

async function startDns(inServer: string[]): Promise<string> {
  const command = [...inServer, process.execPath, own('dns.ts'), SERVER_ADDRESS, String(DNS_PORT)];
  await new Part('the DNS server', command).line();
  return `${SERVER_ADDRESS}:${DNS_PORT}`;
}

let captures = 0;

async function startCapture(inProber: string[], folder: string, options: LabOptions): Promise<Capture> {
  captures += 1;
  const file = path.join(folder, `capture-${captures}.pcap`);
  const cpus = options.serverCpus ? ['taskset', '-c', options.serverCpus] : [];
  const sniffer = new Part('the capture', [...inProber, ...cpus, process.execPath, own('sniffer.ts'), file]);
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
