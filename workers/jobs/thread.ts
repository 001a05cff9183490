// The jobs as a thread of the process that serves the pages. Ends cleanly when it is told to `stop`.
import { parentPort } from 'node:worker_threads';
import { runJobs } from './run.ts';

const stopping = new AbortController();
parentPort?.once('message', () => stopping.abort());
await runJobs(stopping.signal, () => {});
parentPort?.close();
