import { parentPort, workerData } from 'node:worker_threads';
import { startOrigins } from './origins.ts';
import type { DeployKind } from './present/script.ts';

/** An order to the thread: redeploy an origin, or end. */
export type OriginOrder = { deploy: string; kind: DeployKind; costly: boolean } | 'close';

// The thread's whole life: start, say what runs, deploy what it is told to, close when told.
const { origins, deploy, close } = await startOrigins(String(workerData));
parentPort?.on('message', (order: OriginOrder) => {
  if (order === 'close') void close().then(() => parentPort?.close());
  else deploy(order.deploy, order.kind, order.costly);
});
parentPort?.postMessage(origins);
