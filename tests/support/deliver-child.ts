import { deliverTo } from '#server/webhooks/deliver.ts';
import { dueWebhooks } from '#server/webhooks/lease.ts';

// A process that sends what is due by a clock that runs `offsetSeconds` ahead, to be killed in the middle of it. Says
// `{done: true}` once nothing is due.

const offsetMs = Number(process.argv[2] ?? '0') * 1_000;
const clock = () => new Date(Date.now() + offsetMs);
for (;;) {
  const due = await dueWebhooks(clock());
  if (due.length === 0) break;
  for (const id of due) await deliverTo(id, { clock });
}
process.send?.({ done: true });
process.disconnect?.();
process.exit(0);
