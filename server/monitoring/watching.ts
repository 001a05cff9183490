// Whether somebody looks at figures, and so how soon probers should send the next ones. Web processes tell each other by a row.

import { getPool } from '#server/database/database.ts';
import { onceAProcess } from '#server/environment/once-a-process.ts';

/** How long a prober waits with a batch that is not full, in ms: each batch costs a transaction, however small it is. */
export const BATCH_MS = 10_000;
/** The same while somebody watches. */
export const WATCHED_BATCH_MS = 1_000;
/** Somebody watches for so long (ms) after figures were read; an open page reads them every 15 s. */
export const WATCHED_FOR_MS = 30_000;
/** How often (ms) a process tells the others that figures are read here, and asks whether they are read elsewhere. */
const SHARED_EVERY_MS = 5_000;

/** Instants of the monotonic clock, ms: figures were read here or elsewhere, and others were told or asked. */
const watchingHere = onceAProcess('figures-read', () => ({
  readAt: -Infinity,
  saidAt: -Infinity,
  askedAt: -Infinity,
}));

/** Notes that somebody reads figures; `now` in ms of the monotonic clock. */
export function noteFiguresRead(now = performance.now()): void {
  const watching = watchingHere();
  watching.readAt = now;
  if (now - watching.saidAt < SHARED_EVERY_MS) return;
  watching.saidAt = now;
  sayRead(performance.now() - now).catch(() => {}); // Without PostgreSQL this process alone knows.
}

async function sayRead(agoMs: number): Promise<void> {
  await getPool().query(
    `insert into heartbeat as h (name, beat_at) values ('figures', now() - $1 * interval '1 millisecond')
      on conflict (name) do update set beat_at = greatest(h.beat_at, excluded.beat_at)`,
    [agoMs],
  );
}

/** How long (ms) a prober should wait before its next batch that is not full. */
export async function nextBatchMs(now = performance.now()): Promise<number> {
  const watching = watchingHere();
  const isWatched = () => now - watching.readAt <= WATCHED_FOR_MS;
  if (!isWatched() && now - watching.askedAt >= SHARED_EVERY_MS) {
    watching.askedAt = now;
    watching.readAt = Math.max(watching.readAt, now - (await readElsewhere().catch(() => Infinity)));
  }
  return isWatched() ? WATCHED_BATCH_MS : BATCH_MS;
}

/** How long ago (ms) any web process said that figures are read. */
async function readElsewhere(): Promise<number> {
  const { rows } = await getPool().query<{ age: number }>(
    `select (extract(epoch from now() - beat_at) * 1000)::float8 as age from heartbeat where name = 'figures'`,
  );
  return rows[0]?.age ?? Infinity;
}
