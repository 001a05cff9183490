import { cache } from 'react';
import { z } from 'zod';
import type { Result } from '#contract/result.ts';
import type { Target } from '#contract/target.ts';
import type { Vantage } from '#contract/vantage.ts';
import { ServiceError } from '#server/errors.ts';
import { getResult } from '#server/results.ts';
import { getTarget } from '#server/targets.ts';
import { getVantage } from '#server/vantages.ts';

/** Makes a getter give null for what is not there, and for an id that is none; a page then says "not found". */
function finder<T>(get: (id: string) => Promise<T>): (id: string) => Promise<T | null> {
  return cache(async (id: string) => {
    if (!z.uuid().safeParse(id).success) return null;
    try {
      return await get(id);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return null;
      throw error;
    }
  });
}

export const findTarget = finder<Target>((id) => getTarget(id));
/** With what only those may see who may change it. */
export const findTargetToEdit = finder<Target>((id) => getTarget(id, 'editor'));
export const findVantage = finder<Vantage>(getVantage);
export const findResult = finder<Result>(getResult);
