import { sealDays } from '#server/blocks/seal.ts';
import { lockConnection, releaseLock } from '#server/database/lock.ts';
import { log } from '#server/environment/log.ts';

/** Seals days of results that are over. However many processes run, one of them does it at a time. */
export async function runSealing(signal: AbortSignal): Promise<void> {
  const connection = await lockConnection('sealer');
  if (connection === null) return;
  try {
    const packed = await sealDays(Date.now(), { signal });
    if (packed > 0) log.info({ results: packed }, 'sealed results of days that are over');
  } finally {
    await releaseLock(connection);
  }
}
