import path from 'node:path';
import { must, Part } from './commands.ts';
import { inNamespaceOf, type Namespaces } from './namespaces.ts';
import type { DropRule, LabOptions } from './types.ts';

/** What joins the two namespaces. */
export type EmulatedPath = {
  drop(rule: DropRule | null): Promise<void>;
  setRtt(ms: number): Promise<void>;
};

export const PROBER_ADDRESS = '10.99.0.1';
export const SERVER_ADDRESS = '10.99.0.2';
const DEVICE = 'line0';
/** Packets that wait for the line at most; thousands of handshakes that begin at once stay below. */
const QUEUE_PACKETS = 50_000;

/** For both namespaces: nothing learnt in one case may change the next, and Linux's usual congestion control. */
const SETTINGS = [
  'ipv4/tcp_no_metrics_save 1',
  'ipv4/tcp_slow_start_after_idle 0',
  'ipv4/tcp_max_syn_backlog 16384',
  'ipv4/tcp_syncookies 0',
  'core/somaxconn 16384',
  'ipv4/ip_local_port_range 1024 65535',
  'ipv4/tcp_tw_reuse 1',
];

/** Makes both namespaces ready for a line. Throws where the machine does not allow it. */
export async function prepareNamespaces({ prober, server }: Namespaces): Promise<void> {
  for (const namespace of [prober, server]) {
    await ip(namespace, 'link', 'set', 'lo', 'up');
    const writes = SETTINGS.map((setting) => setting.replace(/^(\S+) (.*)$/, 'echo "$2" > /proc/sys/net/$1 || true'));
    const control = 'cd /proc/sys/net/ipv4; echo cubic > tcp_congestion_control || echo reno > tcp_congestion_control';
    await must(...inNamespaceOf(namespace), 'sh', '-c', [...writes, control].join('\n'));
  }
}

/** Joins the namespaces by a line of our own, which can lose what it is told to, and needs no module of the kernel. */
export async function joinNamespaces(namespaces: Namespaces, options: LabOptions): Promise<EmulatedPath> {
  const line = await tunLine(namespaces, options);
  await assignAddress(namespaces.prober, PROBER_ADDRESS, SERVER_ADDRESS);
  await assignAddress(namespaces.server, SERVER_ADDRESS, PROBER_ADDRESS);
  await setInitcwnd(namespaces, options.initcwnd ?? 10);
  return line;
}

/** Sets the initial congestion window of connections that the server accepts from now on. */
export async function setInitcwnd({ server }: Namespaces, segments: number): Promise<void> {
  const to = [`${PROBER_ADDRESS}/32`, 'dev', DEVICE, 'src', SERVER_ADDRESS];
  await ip(server, 'route', 'replace', ...to, 'initcwnd', String(segments));
}

/** `ip` in the namespace that this process holds. */
const ip = (namespace: number, ...words: string[]) => must(...inNamespaceOf(namespace), 'ip', ...words);

async function assignAddress(namespace: number, own: string, peer: string): Promise<void> {
  await ip(namespace, 'addr', 'add', `${own}/32`, 'dev', DEVICE);
  const device = ['dev', DEVICE, 'mtu', '1500', 'txqueuelen', String(QUEUE_PACKETS), 'up'];
  await ip(namespace, 'link', 'set', ...device);
  await ip(namespace, 'route', 'replace', `${peer}/32`, 'dev', DEVICE, 'src', own);
}

async function tunLine({ prober, server }: Namespaces, options: LabOptions): Promise<EmulatedPath> {
  const script = path.join(import.meta.dirname, 'delay-line.ts');
  const cpus = options.serverCpus ? ['taskset', '-c', options.serverCpus] : [];
  const ends = [String(server), DEVICE, String(options.rttMs / 2)];
  const command = [...inNamespaceOf(prober), ...cpus, process.execPath, script, ...ends];
  const carrier = new Part('the delay line', command);
  await carrier.line();
  const drop = async (rule: DropRule | null) => void (await carrier.ask({ drop: rule }));
  const setRtt = async (ms: number) => void (await carrier.ask({ delayMs: ms / 2 }));
  return { drop, setRtt };
}
