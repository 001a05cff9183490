import { z } from 'zod';
import { ById, type Operation } from '../operation.ts';
import { ResultsQuery } from '../query.ts';
import { Result } from '../result.ts';

/** A page of results; one that ends early because the search took too long says how far it came. */
const ResultPage = z
  .object({
    data: z.array(Result),
    nextCursor: z.string().nullable(),
    searchedUntil: z.iso.datetime().nullable().meta({
      description:
        'null unless the search reached its time limit: nothing before this instant was searched yet, and `nextCursor` continues from there, even if `data` is short or empty',
    }),
  })
  .meta({ id: 'ResultPage' });
export type ResultPage = z.infer<typeof ResultPage>;

export const listResults = {
  id: 'listResults',
  method: 'get',
  path: '/api/v1/results',
  tag: 'results',
  summary: 'List results, newest first',
  description:
    '`from` and `to` bound `startedAt`, half-open. All handshakes of a check are listed, including those that follow the main one; `variant=main` excludes them. All that match, as a file: `GET /api/v1/exports/results`.',
  access: 'read',
  query: ResultsQuery,
  success: { status: 200, description: 'A page of results', schema: ResultPage },
  problems: [404],
} as const satisfies Operation;

/** A result, and the ids of those that followed it: omitted if there are none. */
const ResultAndFollowers = Result.extend({
  followers: z
    .array(z.uuid())
    .optional()
    .meta({ description: 'ids of the results that followed this `main` one, in order; omitted if there are none' }),
}).meta({ id: 'ResultAndFollowers' });

export const getResult = {
  id: 'getResult',
  method: 'get',
  path: '/api/v1/results/{id}',
  tag: 'results',
  summary: 'Read a result with all its evidence',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The result, with `tls.wire` if stored', schema: ResultAndFollowers },
} as const satisfies Operation;
