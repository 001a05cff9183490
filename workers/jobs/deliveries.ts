import { log } from '#server/environment/log.ts';
import { deliverTo } from '#server/webhooks/deliver.ts';
import { dueWebhooks } from '#server/webhooks/lease.ts';

// Which webhook has something to send is asked every half second. Who sends it is settled by the lease that `deliverTo` takes:
// with several processes, each begins at another end of the list. A process that dies is not missed: its leases end, and the
// webhooks are found due again.

/** Webhooks that one process sends to at once. Most of them wait for an answer. */
const CONCURRENCY = 30;

/** What sends the outbox's messages; `look` finds out what is due, `stop` waits for the attempts that are under way. */
export type Deliveries = { look: () => Promise<void>; stop: () => Promise<void> };

/** Sends to what `look` finds due, until the signal. */
export function createDeliveries(signal: AbortSignal): Deliveries {
  const underWay = new Map<string, Promise<void>>();
  let waiting: string[] = [];

  function begin(): void {
    while (underWay.size < CONCURRENCY && !signal.aborted) {
      const id = waiting.shift();
      if (id === undefined) return;
      if (!underWay.has(id)) underWay.set(id, deliver(id));
    }
  }

  async function deliver(id: string): Promise<void> {
    try {
      await deliverTo(id, { signal });
    } catch (error) {
      log.error({ err: error, webhook: id }, 'messages cannot be sent');
    }
    underWay.delete(id);
    begin();
  }

  return {
    async look() {
      const due = await dueWebhooks(new Date());
      const from = Math.floor(Math.random() * due.length);
      waiting = [...due.slice(from), ...due.slice(0, from)];
      begin();
    },
    async stop() {
      await Promise.all(underWay.values());
    },
  };
}
