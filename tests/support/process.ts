import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Everything a process printed so far, both streams as one. */
export function collect(child: ChildProcess): () => string {
  let text = '';
  const take = (chunk: Buffer) => {
    text += chunk.toString();
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return () => text;
}

/** Sends the signal, waits for the process and its output to end, and returns its exit status. */
export async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'close');
  child.kill(signal);
  await exited;
  return child.exitCode;
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
