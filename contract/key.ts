import { z } from 'zod';

/** `read` sees, `write` also changes targets and vantages, `admin` also keys and the demo. */
export const KeyScope = z.enum(['read', 'write', 'admin']).meta({ id: 'KeyScope' });
export type KeyScope = z.infer<typeof KeyScope>;

export const KeyCreate = z
  .strictObject({ name: z.string().trim().min(1).max(200).default('key'), scope: KeyScope })
  .meta({ id: 'KeyCreate' });
export type KeyCreate = z.infer<typeof KeyCreate>;

export const ApiKey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    scope: KeyScope,
    prefix: z.string().meta({ description: 'the first characters, to identify the key' }),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

/** The key is shown this once. */
export const ApiKeyCreated = ApiKey.extend({ key: z.string() }).meta({ id: 'ApiKeyCreated' });
export type ApiKeyCreated = z.infer<typeof ApiKeyCreated>;
