import type { Result, VantageRef } from '#contract/result.ts';

/** A result that says where it belongs; only an instant probe from the command line does not. */
export type StorableResult = Result & { targetId: string; vantage: VantageRef };
