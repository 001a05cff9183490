import { makeWorkerUtils, type WorkerUtils } from 'graphile-worker';
import { getPool } from '#server/database/database.ts';
import { deliverTo } from '#server/webhooks/deliver.ts';
import { dueWebhooks } from '#server/webhooks/lease.ts';
import { keepRunning, runnerLogger } from './runner.ts';

// Which endpoint has something to send is asked every half second; who sends it is settled by graphile-worker, a job an
// endpoint. A job that dies with its process is not missed: the endpoint's lease ends, and it is found due again.

/** Endpoints that one process sends to at once. Most of them wait for an answer. */
const CONCURRENCY = 30;
/** Every one of these asks for itself; what is new is told to them at once, so asking is for what was missed. */
const POLL_MS = 10_000;
const TASK = 'deliver';
const JOB = 'deliveries';

/** What sends the outbox's messages; `look` hands out work for whatever is due. */
export type Deliveries = { look: () => Promise<void>; stop: () => Promise<void> };

/** Starts sending. A stop waits for the attempts that are under way. */
export async function startDeliveries(signal: AbortSignal): Promise<Deliveries> {
  const utils = await makeWorkerUtils({ pgPool: getPool(), logger: runnerLogger(JOB) });
  await utils.migrate();
  const runner = await keepRunning(JOB, signal, {
    concurrency: CONCURRENCY,
    pollInterval: POLL_MS,
    taskList: {
      [TASK]: async (payload) => {
        await deliverTo(webhookOf(payload), { signal });
      },
    },
  });
  const stop = async () => {
    await runner.stop();
    await utils.release();
  };
  return { look: () => handOut(utils), stop };
}

/** The key makes two looks at one endpoint one job; an attempt at a job is all it gets, for the next look makes another. */
async function handOut(utils: WorkerUtils): Promise<void> {
  for (const webhookId of await dueWebhooks(new Date())) {
    await utils.addJob(TASK, { webhookId }, { jobKey: `${TASK}:${webhookId}`, maxAttempts: 1 });
  }
}

function webhookOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'webhookId' in payload) return String(payload.webhookId);
  throw new Error('a job of deliveries names no webhook');
}
