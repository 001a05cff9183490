import { expect, it } from 'vitest';
import {
  BATCH_MS,
  nextBatchMs,
  noteFiguresRead,
  WATCHED_BATCH_MS,
  WATCHED_FOR_MS,
} from '#server/monitoring/watching.ts';

it('asks probers for batches sooner while somebody reads figures, and for 30 s after that', async () => {
  noteFiguresRead(1_000);
  expect(await nextBatchMs(1_000)).toBe(WATCHED_BATCH_MS);
  expect(await nextBatchMs(1_000 + WATCHED_FOR_MS)).toBe(WATCHED_BATCH_MS);
  expect(await nextBatchMs(1_001 + WATCHED_FOR_MS)).toBe(BATCH_MS);
  noteFiguresRead(50_000);
  expect(await nextBatchMs(60_000)).toBe(WATCHED_BATCH_MS);
});
