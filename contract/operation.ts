import { z } from 'zod';
import type { KeyScope } from './key.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * One operation of the HTTP interface: its route parses requests with these schemas and the OpenAPI document is built
 * from them, so that the two cannot differ.
 */
export interface Operation {
  id: string;
  method: Method;
  /** With parameters in braces, as OpenAPI writes them. */
  path: `/${string}`;
  tag:
    | 'targets'
    | 'vantages'
    | 'results'
    | 'statistics'
    | 'measurements'
    | 'incidents'
    | 'events'
    | 'alerting'
    | 'access'
    | 'prober'
    | 'system';
  summary: string;
  description?: string;
  /** The least scope of a key; `prober` requires a prober’s credential, `public` nothing. */
  access: KeyScope | 'prober' | 'public';
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Whether a request without a body and a content type counts as one with `{}`. */
  bodyOptional?: boolean;
  /** Most bytes of a body after decompression; a mebibyte where left out. */
  maxBytes?: number;
  /** The response on success; without a schema it has no body. */
  success: {
    status: 200 | 201 | 202 | 204;
    description: string;
    schema?: z.ZodType;
    /** Further content types of the same response. */
    other?: Record<string, z.ZodType>;
    /** Header `Location`, with fields of the response in braces. */
    location?: string;
  };
  /** Problems beyond those that access, parameters and body bring along. */
  problems?: readonly (404 | 409 | 429 | 503)[];
}

/** Whether it takes an `Idempotency-Key`: it makes something. */
export const takesIdempotencyKey = ({ method, path, success: { status } }: Operation): boolean =>
  method === 'post' && path.startsWith('/api/v1/') && (status === 201 || status === 202);

/** Longest `Idempotency-Key`, characters, and how long (hours) it stands for what the first request with it was answered. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
export const IDEMPOTENCY_HOURS = 24;

/** RFC 8941 puts a string into quotes, which most clients leave out: both are one key. */
export const IdempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(
      new RegExp(`^[!-~]{1,${MAX_IDEMPOTENCY_KEY_LENGTH}}$`),
      `must be 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters without spaces, such as a UUID`,
    )
    .transform((key) => /^"(.+)"$/.exec(key)?.[1] ?? key)
    .optional()
    .meta({
      description: `The same request with the same key, of the same API key or session, within ${IDEMPOTENCY_HOURS} hours does nothing and is answered as the first that succeeded, with \`Idempotency-Replayed: true\`: 409 while that is under way, 422 with another body`,
    }),
});

/** The parameter of every path that ends in `{id}`. */
export const ById = z.strictObject({ id: z.uuid() });

/** The response to a deletion. */
export const gone = { status: 204, description: 'Done; no content' } as const;
