import { getPrisma } from '#server/database/database.ts';
import { describeDetections, storeDetections } from '#server/incidents/detected.ts';
import { recordDetections } from '#server/incidents/record.ts';
import { rulesOf } from '#server/rules/rules.ts';
import type { Stretch } from './replay.ts';

/** What one stretch writes takes no longer, ms. */
const TIMEOUT_MS = 120_000;
const HOUR = 3_600;

/**
 * Stores what the detector raised over a stretch of the past, with its incidents. Everything is older than an hour, so that
 * no notification is sent. What is there already is left as it is.
 */
export async function recordStretch({ raised, closed, changes }: Stretch, now: Date): Promise<void> {
  const found = await describeDetections(raised, new Set(raised.map(({ target }) => target)), now.getTime());
  found.forEach((each, index) => {
    const { beforeMs = null, afterMs = null } = raised[index] ?? {};
    Object.assign(each.cell, { beforeMs, afterMs });
  });
  await getPrisma().$transaction(
    async (db) => {
      const rules = await rulesOf(db, 'detector');
      const fresh = await storeDetections(db, found);
      // Hour by hour, as it would have come: a spike that begins when another has long ended is another incident.
      const hourOf = (seconds: number) => Math.floor(seconds / HOUR);
      const hours = new Set([
        ...fresh.map(({ at }) => hourOf(at.getTime() / 1_000)),
        ...[...closed, ...changes].map(({ at }) => hourOf(at)),
      ]);
      for (const hour of [...hours].sort((a, b) => a - b)) {
        const same = fresh.filter(({ at }) => hourOf(at.getTime() / 1_000) === hour);
        const ended = closed.filter(({ at }) => hourOf(at) === hour);
        const changed = changes.filter(({ at }) => hourOf(at) === hour);
        await recordDetections(db, same, rules, now, { closed: ended, changes: changed });
      }
    },
    { timeout: TIMEOUT_MS },
  );
}

/** Says that all of the past has been looked at. */
export async function markWatched(): Promise<void> {
  await getPrisma()
    .$executeRaw`update setting set value = value || '{"watched": true}', updated_at = now() where key = 'demo_past'`;
}
