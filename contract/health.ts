import { z } from 'zod';

export const Health = z
  .object({ status: z.literal('ok'), version: z.string() })
  .meta({ id: 'Health', description: 'The process serves requests; independent of the database' });

export const ReadinessQuery = z.object({
  part: z.enum(['web']).optional().meta({
    description: '`web`: ready is what serves pages and takes results in; jobs that are not up are in `degraded`',
  }),
});

export const Readiness = z
  .object({
    ready: z.boolean(),
    reason: z.string().nullable(),
    degraded: z
      .array(z.object({ part: z.enum(['secrets', 'jobs']), reason: z.string() }))
      .optional()
      .meta({
        description:
          'what does not work while pages and ingest do, absent where all works: `secrets`, the stored addresses and secrets of webhooks and targets cannot be decrypted; `jobs`, which do not start for that reason, or are not up where `part=web` asks',
      }),
  })
  .meta({
    id: 'Readiness',
    description: 'Database, migrations and jobs are up; otherwise the response is a problem with the reason',
  });
export type Readiness = z.infer<typeof Readiness>;
