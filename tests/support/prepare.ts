import { afterAll, beforeAll } from 'vitest';
import type { VantageRef } from '#contract/result.ts';
import { type ApiUnderTest, startApi } from './api.ts';
import { type TestDatabase, testDatabase } from './database.ts';

// For the top of a test file: what all of its tests share is there before they run, and gone when they have.

/** A database of the file's own, with these vantages in it and one prober. */
export function prepareTestDatabase(vantages: VantageRef[] = []): void {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(vantages);
  });
  afterAll(() => database.drop());
}

/** A server on a database of the file's own; what is returned has its fields once tests run. */
export function prepareApi(env: Record<string, string> = {}): ApiUnderTest {
  const api = {} as ApiUnderTest;
  beforeAll(async () => {
    Object.assign(api, await startApi(env));
  });
  afterAll(() => api.stop());
  return api;
}
