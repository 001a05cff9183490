import { z } from 'zod';
import { VantageRef } from './result.ts';
import { ProbeSettings } from './target.ts';

/** Target x vantage x period x settings: what a prober runs. `timeoutMs` bounds the whole probe and is below the period. */
export const Check = z
  .object({
    id: z.uuid(),
    targetId: z.uuid(),
    url: z.string(),
    vantage: VantageRef,
    demo: z.boolean(),
    periodSeconds: z.number().int().min(1),
    timeoutMs: z.number().int().min(100),
    settings: ProbeSettings,
    allowPrivate: z.boolean().meta({ description: 'the server lets this check reach loopback and private addresses' }),
  })
  .meta({ id: 'Check' });
export type Check = z.infer<typeof Check>;

/** What has changed since the revision asked for. `full` says that the list replaces all that the prober knew. */
export const Assignments = z
  .object({
    revision: z.string(),
    full: z.boolean(),
    checks: z.array(Check),
    removed: z.array(z.uuid()),
    serverTime: z.iso.datetime({ precision: 3 }),
    pollSeconds: z.number().int().min(1).max(3_600),
  })
  .meta({ id: 'Assignments' });
export type Assignments = z.infer<typeof Assignments>;
