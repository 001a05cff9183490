import { z } from 'zod';

/** Whether the demo network (made-up places in front of real TLS servers) is there. Once removed it stays away. */
export const DemoState = z
  .object({ present: z.boolean(), removed: z.boolean(), targets: z.number().int(), vantages: z.number().int() })
  .meta({ id: 'DemoState' });
export type DemoState = z.infer<typeof DemoState>;
