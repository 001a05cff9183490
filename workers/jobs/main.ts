// The jobs as a process. Ends cleanly on SIGTERM, SIGINT, and when the process that started it is gone.
import { runJobs } from './run.ts';

const stopping = new AbortController();
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(event, () => stopping.abort());
await runJobs(stopping.signal, () => process.send?.({ ready: true }));
if (process.connected) process.disconnect();
