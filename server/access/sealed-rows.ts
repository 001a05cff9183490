import { getPool } from '#server/database/database.ts';
import { environment } from '#server/environment/environment.ts';
import { openable, unseal } from './sealing.ts';

/** What is stored sealed: a query for the sealed values of each row, newest rows first. */
const SEALED = [
  {
    plural: 'webhooks',
    query: `select array_remove(array[url, secrets], null) as sealed from webhook where deleted_at is null
             order by id desc limit $1`,
  },
  {
    plural: 'targets',
    query: `select array[secrets] as sealed from target where deleted_at is null and secrets is not null
             order by id desc limit $1`,
  },
] as const;

/** Rows of each kind that are tried, the newest: a wrong secret shows in any of them. */
const MOST_TRIED = 1_000;

/** `missing`: this process has no secret. `wrong`: its secret opens none of the stored rows; `partly`: not all. */
export type SealProblem = { kind: 'missing' | 'wrong' | 'partly'; reason: string };

/** Why this process cannot open what the database holds sealed; null where it can, or nothing is sealed. Throws as the database does. */
export async function findSealProblem(): Promise<SealProblem | null> {
  const pool = getPool();
  const kinds = await Promise.all(
    SEALED.map(async ({ plural, query }) => {
      const { rows } = await pool.query<{ sealed: string[] }>(query, [MOST_TRIED]);
      const opened = rows.filter(({ sealed }) => openable(() => sealed.map((each) => unseal(each))) !== null).length;
      return { plural, rows: rows.length, opened };
    }),
  );
  const closed = kinds.filter(({ rows, opened }) => opened < rows);
  if (closed.length === 0) return null;
  const what = closed.map(({ plural }) => plural).join(' and ');
  if (environment().ROUNDTRIP_SECRET === undefined) {
    return {
      kind: 'missing',
      reason: `ROUNDTRIP_SECRET is not set, and the stored ${what} are encrypted with it: set the same for web and jobs`,
    };
  }
  const isPartly = kinds.some(({ opened }) => opened > 0);
  const reason = `ROUNDTRIP_SECRET is not the one that ${isPartly ? 'some of ' : ''}the stored ${what} are encrypted with: \
set that one, or enter their addresses and secrets again`;
  return { kind: isPartly ? 'partly' : 'wrong', reason };
}
