import { Worker } from 'node:worker_threads';
import type { Origin, Origins } from './origins.ts';
import type { OriginOrder } from './origins-worker.ts';

/**
 * Runs the origins on a thread of their own: the server's half of every handshake would else hold up the very loop whose
 * delays are measured. `onFault` hears of a thread that died later.
 */
export function startOriginThread(folder: string, onFault: (error: Error) => void = () => {}): Promise<Origins> {
  const worker = new Worker(new URL('./origins-worker.ts', import.meta.url), { workerData: folder });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const order = (what: OriginOrder) => worker.postMessage(what);
  const deploy: Origins['deploy'] = (key, kind, costly) => order({ deploy: key, kind, costly });
  const close = async () => {
    order('close');
    await ended;
  };
  return new Promise((resolve, reject) => {
    worker.once('message', (origins: Origin[]) => {
      worker.removeListener('error', reject).on('error', onFault);
      resolve({ origins, deploy, close });
    });
    worker.once('error', reject);
  });
}
