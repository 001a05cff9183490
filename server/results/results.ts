// The results of checks: stored in bulk (insert.ts), read as pages, one by one, or as a stream.

export { getResult, getResultAndFollowers, getRun } from './get.ts';
export {
  type InsertCounts,
  insertBatch,
  insertResults,
  keyOf,
  type Refusal,
  type Stored,
  withoutStored,
} from './insert.ts';
export { listResults } from './list.ts';
export type { Allowance } from './lookup.ts';
export { streamResults } from './stream.ts';
