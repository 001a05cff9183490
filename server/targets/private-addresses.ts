import { getPrisma } from '#server/database/database.ts';
import { syncChecks } from './checks.ts';

/** Says whether targets and webhooks may be loopback or private addresses; probers follow within a poll. No effect where the environment says it. */
export async function changePrivateAddresses(allowed: boolean): Promise<void> {
  await getPrisma().$transaction(async (tx) => {
    const value = { allowed };
    const key = 'private_addresses';
    await tx.setting.upsert({ where: { key }, create: { key, value }, update: { value } });
    const targets = await tx.target.findMany({ where: { demo: false, deletedAt: null }, select: { id: true } });
    await syncChecks(tx, { targetIds: targets.map(({ id }) => id) });
  });
}
