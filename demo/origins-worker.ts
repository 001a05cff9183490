import { parentPort, workerData } from 'node:worker_threads';
import { startOrigins } from './origins.ts';

// The thread's whole life: start, say what runs, close when told.
const { origins, close } = await startOrigins(String(workerData));
parentPort?.once('message', () => void close().then(() => parentPort?.close()));
parentPort?.postMessage(origins);
