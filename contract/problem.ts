import { z } from 'zod';

/** RFC 9457 problem details; `errors` names each bad field with a JSON path such as `settings.timeouts.tls`. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/** What `type` begins with in every problem of ours: an answer without it is not the server's, but of something before it. */
export const PROBLEM_TYPE_PREFIX = 'urn:roundtrip:problem:';

/** A page of a list. `nextCursor` is null on the last. */
export const pageOf = <T extends z.ZodType>(item: T, id: string) =>
  z.object({ data: z.array(item), nextCursor: z.string().nullable() }).meta({ id });
export type Page<T> = { data: T[]; nextCursor: string | null };
