import type { StorableResult, VantageRef } from '#contract/result.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { insertTarget } from './places.ts';
import { insertResults } from './results.ts';
import { makeVantage } from './vantages.ts';

/** How long a test of sealing may take on a busy machine, ms. */
export const SLOW_MS = 240_000;
export const DAY = 86_400_000;
export const MINUTE = 60_000;

/** The two vantages of every scene. */
export const SCENE_VANTAGES: readonly [VantageRef, VantageRef] = [
  makeVantage('CN-GD', 'telecom'),
  makeVantage('CN-BJ', 'unicom'),
];

/** A database of its own, targets in it, and the results of these that are stored. */
export type StoredScene = { database: TestDatabase; targets: string[]; stored: StorableResult[] };

/** Makes targets of these names, and stores what `make` makes for them. */
export async function storedScene(
  names: readonly string[],
  make: (targets: readonly string[]) => StorableResult[],
): Promise<StoredScene> {
  const database = await testDatabase([...SCENE_VANTAGES]);
  const targets: string[] = [];
  for (const name of names) targets.push(await insertTarget({ name }));
  const stored = make(targets);
  await insertResults(stored);
  return { database, targets, stored };
}
