// A process of the lab, in the network namespace of the prober, which it holds; a child of it holds the server's. It says
// the process ids of both, and waits until its input ends, which is when the lab closes or its owner dies, however it
// dies. Then it kills what runs in the namespaces, with which they are gone, and removes the folder. Argument: the folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import type { Namespaces } from './namespaces.ts';

const [folder = ''] = process.argv.slice(2);
/** A process that was killed may take a moment to be gone. */
const ROUNDS = 500;
const ROUND_MS = 10;

/** The network namespace of a process, as the kernel names it; null of one that is gone or not ours to ask. */
function networkOf(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
}

function killAll(networks: Set<string | null>): void {
  const nap = new Int32Array(new SharedArrayBuffer(4));
  for (let round = 0; round < ROUNDS; round += 1) {
    const pids = readdirSync('/proc').map(Number).filter(Boolean);
    const inside = pids.filter((pid) => pid !== process.pid && networks.has(networkOf(pid)));
    if (inside.length === 0) return;
    for (const pid of inside) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    Atomics.wait(nap, 0, 0, ROUND_MS);
  }
}

process.stdout.on('error', () => {});
process.stdin.on('error', () => {});
// `cat` ends with its input, which is held here alone: also where this process is killed.
const server = spawn('unshare', ['--net', 'sh', '-c', 'echo ready; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
const ended = once(server, 'close').then(() => null);
const ready = await Promise.race([once(server.stdout, 'data'), ended]);
if (ready === null || server.pid === undefined) throw new Error('the second network namespace could not be made');
const networks = new Set(['self' as const, server.pid].map(networkOf).filter((network) => network !== null));
process.stdin.resume().on('close', () => {
  killAll(networks);
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
process.stdout.write(`${JSON.stringify({ prober: process.pid, server: server.pid } satisfies Namespaces)}\n`);
