import { z } from 'zod';

/** Whether a document of the configuration that was applied names a thing, and so makes it what it says. Nobody sets it by itself. */
export const Managed = z.boolean().meta({
  description: 'kept as code: the next `PUT /api/v1/configuration` with its document undoes what is changed elsewhere',
});
