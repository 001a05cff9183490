import { join } from 'node:path';
import { z } from 'zod';
import { EnrolmentError } from '#workers/prober/credential.ts';
import { processLogger } from '#workers/prober/logger.ts';
import { raisePriority } from '#workers/prober/priority.ts';
import { startProber } from '#workers/prober/prober.ts';
import { startOriginThread } from './origin-thread.ts';
import type { Origins } from './origins.ts';
import { deployOnTime } from './present/deploys.ts';
import { DEPLOY_KINDS, deployedOrigin, presentConditions } from './present/script.ts';
import { startReceiver } from './receiver.ts';
import { demoEnvironments } from './vantages.ts';

// The demo's process, started by `roundtrip start`. It says `{origins, receiver}`, is answered `{token}` once the server has targets
// and vantages for them, says `{ready: true}` when it measures, `{measured: true}` when all checks have had their first turn,
// `{marker}` when it changes an origin, and `{removed: true}` when the server knows it no longer.

const Environment = z.object({ ROUNDTRIP_SERVER: z.url(), ROUNDTRIP_DATA: z.string().min(1), LOG_LEVEL: z.string() });
/** `token` is null where there is to be no demo; `madeAtMs` is when it was made, from which its script is counted. */
const Answer = z.object({ token: z.string().nullable(), madeAtMs: z.number().default(() => Date.now()) });

/** First results of all 279 checks come within this time: the matrix is to be coloured while somebody looks at it. */
const FIRST_SPREAD_MS = 6_000;
/** At the first spread 35 probes start a second and last about 0.2 s each. */
const MAX_IN_FLIGHT = 24;

const environment = Environment.parse({ ...process.env, LOG_LEVEL: process.env.LOG_LEVEL || 'info' });
const logger = processLogger(environment.LOG_LEVEL);
const halt = new AbortController();
for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(event, () => halt.abort());

if (!process.send) {
  process.stderr.write('demo/main.ts is started by `roundtrip start`, which knows the database.\n');
  process.exit(2);
}

raisePriority();
const folder = join(environment.ROUNDTRIP_DATA, 'demo');
const running = await startOriginThread(folder, (error) => {
  logger.error(`the demo's origins failed: ${error.stack}`);
  process.exit(1);
});
let status = 0;
try {
  await measure(running);
} catch (error) {
  if (halt.signal.aborted) logger.debug('stopped while it started');
  else if (error instanceof EnrolmentError) tellRemoved(error.message);
  else {
    logger.error(`the demo failed: ${error instanceof Error ? error.stack : error}`);
    status = 1;
  }
}
await running.close();
process.exit(status);

/** Runs until it is told to stop or the server has removed the demo. */
async function measure({ origins, deploy }: Origins): Promise<void> {
  const answer = nextAnswer(halt.signal);
  const receiver = await startReceiver();
  halt.signal.addEventListener('abort', () => void receiver.close(), { once: true });
  const shown = origins.map(({ key, name, url, caPem, resume }) => ({ key, name, url, caPem, resume }));
  process.send?.({ origins: shown, receiver: receiver.url });
  const { token, madeAtMs } = await answer;
  if (token === null) return tellRemoved('the server wants no demo');
  const prober = await startProber({
    server: environment.ROUNDTRIP_SERVER,
    token,
    dataDir: join(folder, 'prober'),
    // Its emulated network has the demo's origins and nothing else.
    allowPrivate: ['127.0.0.1'],
    environmentFor: demoEnvironments(origins, Date.now(), presentConditions(madeAtMs)),
    firstSpreadMs: FIRST_SPREAD_MS,
    maxInFlight: MAX_IN_FLIGHT,
    giveUpAfterMs: 0, // a demo that was removed is not coming back
    logger,
    signal: halt.signal,
  });
  process.send?.({ ready: true });
  // What else the demo needs a processor for waits so long: first results of a machine that is busy do not count.
  const measured = setTimeout(() => process.connected && process.send?.({ measured: true }), FIRST_SPREAD_MS);
  halt.signal.addEventListener('abort', () => clearTimeout(measured), { once: true });
  for (const kind of DEPLOY_KINDS) {
    const deployed = deployedOrigin(kind);
    const host = origins.find(({ key }) => key === deployed)?.host;
    deployOnTime({
      kind,
      madeAtMs,
      set: (costly) => deploy(deployed, kind, costly),
      mark: (marker) => process.connected && process.send?.({ marker: { host, ...marker } }),
      signal: halt.signal,
    });
  }
  const stop = () => void prober.stop();
  if (halt.signal.aborted) stop();
  else halt.signal.addEventListener('abort', stop, { once: true });
  const reason = await prober.ended;
  if (reason !== null && !halt.signal.aborted) tellRemoved(reason);
}

/** A prober that the server no longer knows belongs to a demo that was removed: no fault, and no reason to start again. */
function tellRemoved(reason: string): void {
  logger.info(`the demo ends: ${reason}`);
  if (process.connected) process.send?.({ removed: true });
}

function nextAnswer(signal: AbortSignal): Promise<z.infer<typeof Answer>> {
  return new Promise((resolve, reject) => {
    const listen = (message: unknown) => {
      const answer = Answer.safeParse(message);
      if (!answer.success) return;
      process.off('message', listen);
      resolve(answer.data);
    };
    process.on('message', listen);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
