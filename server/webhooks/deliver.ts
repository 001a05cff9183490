import { setTimeout as sleep } from 'node:timers/promises';
import { allowsPrivateAddresses } from '#server/access/private-addresses.ts';
import { SealError } from '#server/access/sealing.ts';
import { getPrisma } from '#server/database/database.ts';
import { type Attempt, beginAttempt, earlierOf, failUsedUp, finishAttempt, isUsedUp, threadOf } from './attempt.ts';
import { leadsToDemo } from './demo-receiver.ts';
import { messageIdOf } from './enqueue.ts';
import { WRITERS } from './formats/formats.ts';
import { LEASE_SECONDS, type Lease, releaseLease, takeLease } from './lease.ts';
import { NOTHING_SENT, shownAttempt, shownError } from './masking.ts';
import { type Judging, judge, MAX_CUT_OFFS, type Outcome, unwritable } from './outcome.ts';
import { type Endpoint, FormatError, type Message, type Outgoing } from './outgoing.ts';
import { nextMessage } from './queue.ts';
import { openEndpoint } from './secrets.ts';
import { type SendOptions, type Sent, send } from './send.ts';

/** Clock, chance and network are arguments, so that days of retries can be tested in a second. */
export type DeliverOptions = SendOptions & {
  clock?: () => Date;
  chance?: () => number;
};

/** An endpoint is given back after so many messages, so that those of others get their turn. */
const MESSAGES_A_TURN = 50;

/**
 * Sends what is due to one endpoint, one message after the other, until nothing is, its turn is over, or it is to be left
 * alone for a while. Returns how many attempts it made; 0 where another process is at it. Throws SealError.
 */
export async function deliverTo(webhookId: string, options: DeliverOptions = {}): Promise<number> {
  const clock = options.clock ?? (() => new Date());
  const lease = await takeLease(webhookId, clock());
  if (!lease) return 0;
  try {
    let made = 0;
    while (made < MESSAGES_A_TURN && !options.signal?.aborted) {
      const outcome = await deliverNext(lease, clock, options);
      if (outcome === null) break;
      made++;
      if (outcome.slowUntil !== null || outcome.disable !== null) break;
    }
    return made;
  } catch (error) {
    if (error instanceof SealError) await leaveAlone(webhookId, clock());
    throw error;
  } finally {
    // Left to itself the lease would hold the endpoint back for its whole length.
    await retryFor(() => releaseLease(lease));
  }
}

const CUT_OFF = `${MAX_CUT_OFFS} attempts were cut off before there was an answer`;

const SEAL_PAUSE_MS = 60_000;

/** Without its secrets an endpoint can be sent nothing; its messages wait, and no attempt is counted. */
async function leaveAlone(id: string, now: Date): Promise<void> {
  await getPrisma().webhook.updateMany({
    where: { id },
    data: { slowUntil: new Date(now.getTime() + SEAL_PAUSE_MS) },
  });
}

/** One message; null where none is due. */
async function deliverNext(lease: Lease, clock: () => Date, options: DeliverOptions): Promise<Outcome | null> {
  const { endpoint, failures, allowPrivate } = await readEndpoint(lease.webhookId, clock());
  const waiting = await nextMessage(lease, clock(), WRITERS[endpoint.format]);
  if (!waiting) return null;
  if (isUsedUp(waiting)) {
    await failUsedUp(lease, waiting, CUT_OFF, clock());
    return unwritable(CUT_OFF, failures);
  }
  const attempt = await beginAttempt(lease, waiting, clock());
  return (
    attempt && (await makeAttempt(lease, attempt, { endpoint, failures, clock, options: { ...options, allowPrivate } }))
  );
}

type Making = { endpoint: Endpoint; failures: number; clock: () => Date; options: DeliverOptions };

async function makeAttempt(lease: Lease, attempt: Attempt, making: Making): Promise<Outcome> {
  const { endpoint, failures, clock, options } = making;
  const format = WRITERS[endpoint.format];
  const { id, incidentId, payload } = attempt.delivery;
  const message: Message = { messageId: messageIdOf(id), incidentId, payload };
  if (format.threadOf && incidentId) message.thread = await threadOf(lease.webhookId, incidentId);
  if (format.recalls) message.earlier = await earlierOf(lease.webhookId, attempt.delivery);
  const made = await sendOnce(endpoint, message, { attempts: attempt.number, failures }, options);
  if (made instanceof FormatError) {
    const outcome = unwritable(made.message, failures);
    await finishAttempt(lease, attempt, outcome, NOTHING_SENT, clock());
    return outcome;
  }
  const { outgoing, sent, judged, now } = made;
  const joined = sent.answer && judged.error === null ? (format.threadOf?.(sent.answer) ?? null) : null;
  const closing = judged.status === 'delivered' ? (format.closing?.(message) ?? null) : null;
  const outcome = { ...judged, thread: joined, closing };
  await retryFor(() => finishAttempt(lease, attempt, outcome, shownAttempt(outgoing, sent), now));
  return outcome;
}

type SentOnce = { outgoing: Outgoing; sent: Sent; judged: Outcome; now: Date };

/** Writes a message for an endpoint, sends it once and judges the answer, at `now`. Returns FormatError where it cannot be written. */
export async function sendOnce(
  endpoint: Endpoint,
  message: Message,
  past: Pick<Judging, 'attempts' | 'failures'>,
  options: DeliverOptions = {},
): Promise<SentOnce | FormatError> {
  const clock = options.clock ?? (() => new Date());
  const outgoing = written(endpoint, message, clock());
  if (outgoing instanceof FormatError) return outgoing;
  const sent = await send(outgoing, { ...options, attempt: past.attempts });
  const now = clock();
  const chance = (options.chance ?? Math.random)();
  const { verdict } = WRITERS[endpoint.format];
  const judged = judge(sent, { ...past, kind: outgoing.kind, verdict, now, chance });
  return { outgoing, sent, judged: { ...judged, error: judged.error && shownError(outgoing, judged.error) }, now };
}

function written(endpoint: Endpoint, message: Message, now: Date): Outgoing | FormatError {
  try {
    return WRITERS[endpoint.format].write(endpoint, message, now);
  } catch (error) {
    if (error instanceof FormatError) return error;
    // A message of another version may lack what its words are made of now: it alone fails, and those behind it are sent.
    return new FormatError(`this message cannot be put into words: ${(error as Error).message}`);
  }
}

/** Read again for each message: its secrets may have been rotated meanwhile. */
async function readEndpoint(webhookId: string, now: Date) {
  const row = await getPrisma().webhook.findUniqueOrThrow({ where: { id: webhookId } });
  const endpoint = openEndpoint(row, now);
  const allowPrivate = (await leadsToDemo(row, endpoint.url)) || (await allowsPrivateAddresses());
  return { endpoint, failures: row.failures, allowPrivate };
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** Well before the lease ends and another process may take over. */
const LONGEST_MS = (LEASE_SECONDS * 1_000) / 2;

/**
 * Does `work` until it succeeds, for half a lease: an answer that has come must not be forgotten, and the message sent
 * again, because the database is away for a moment. Throws the last error.
 */
export async function retryFor<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + LONGEST_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() + pause > end) throw error;
      await sleep(pause);
    }
  }
}
