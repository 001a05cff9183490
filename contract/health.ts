import { z } from 'zod';

export const Health = z
  .object({ status: z.literal('ok'), version: z.string() })
  .meta({ id: 'Health', description: 'The process serves requests; independent of the database' });

export const Readiness = z.object({ ready: z.boolean(), reason: z.string().nullable() }).meta({
  id: 'Readiness',
  description:
    'Database, migrations, jobs and the secret are as they must be; otherwise the response is a problem with the reason',
});
export type Readiness = z.infer<typeof Readiness>;
