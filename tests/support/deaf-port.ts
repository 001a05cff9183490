import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

export type DeafPort = { port: number; close(): Promise<void> };

/**
 * A port whose backlog is full: its thread never accepts, so the kernel drops every further SYN. A silent address that
 * needs no firewall; `port` 0 takes a free one.
 */
export async function deafPort({ host = '127.0.0.1', port = 0 } = {}): Promise<DeafPort> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ ...workerData, backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(code, { eval: true, workerData: { host, port } });
  const [taken] = await once(worker, 'message');
  const fillers: Socket[] = [1, 2, 3].map(() => connect(taken, host).on('error', () => {}));
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, 'connect')));
  const close = async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  };
  return { port: taken, close };
}
