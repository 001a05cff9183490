// The results of checks: stored in bulk (insert.ts), read as pages, one by one, or as a stream.
export { getResult, getResultAndFollowers, getRun } from './results/get.ts';
export {
  type InsertCounts,
  insertBatch,
  insertResults,
  keyOf,
  type Refusal,
  type Stored,
  withoutStored,
} from './results/insert.ts';
export { listResults } from './results/list.ts';
export type { Allowance } from './results/lookup.ts';
export type { StorableResult } from './results/storable.ts';
export { streamResults } from './results/stream.ts';
