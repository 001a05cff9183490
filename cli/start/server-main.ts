// Pages, API and jobs in one process, as `roundtrip start` runs them: the jobs are a thread of it, with an event loop, a heap and
// database connections of their own.
import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import { serveWeb } from '../web-process.ts';
import { startJobsThread } from './jobs-thread.ts';

// Next would end the process as soon as its own requests are answered; the jobs may need longer.
process.env.NEXT_MANUAL_SIG_HANDLE = '1';
const servers: Server[] = [];
subscribe('tracing:net.server.listen:asyncStart', (message) => {
  const { server } = message as { server: unknown };
  if (server instanceof Server) servers.push(server);
});

const jobs = startJobsThread();
let isStopping = false;
for (const event of ['SIGTERM', 'SIGINT'] as const) process.on(event, () => void stop());
await serveWeb();

/** Requests under way are answered, connections that wait for another one are closed. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await Promise.all([jobs.stop(), ...servers.map(closed)]);
  process.exit(0);
}
