import { cache } from 'react';
import { MAX_LIMIT } from '#contract/query.ts';
import { listTargets } from '#server/targets/targets.ts';

/** The targets that forms and filters offer, by name. */
export const namedTargets = cache(async (): Promise<{ id: string; name: string }[]> => {
  const { data } = await listTargets({ limit: MAX_LIMIT });
  return data.map(({ id, name }) => ({ id, name })).toSorted((a, b) => a.name.localeCompare(b.name));
});
