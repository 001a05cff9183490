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
        'null, except where a search for few among many took too long: nothing before this instant was looked at yet, and `nextCursor` goes on from there, also where `data` is short or empty',
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
    '`from` and `to` bound `startedAt`, half-open. All handshakes of a check are listed, also those that followed the main one; `variant=main` leaves them out. `csv` and `ndjson` stream all that match, up to a million; `limit` does not apply to them.',
  access: 'read',
  query: ResultsQuery,
  success: {
    status: 200,
    description: 'A page of results, or all that match as CSV or one JSON object a line',
    schema: ResultPage,
    other: { 'text/csv': z.string(), 'application/x-ndjson': z.string() },
  },
  problems: [404],
} as const satisfies Operation;

/** A result, and the ids of those that followed it: left out where none did. */
const ResultAndFollowers = Result.extend({
  followers: z
    .array(z.uuid())
    .optional()
    .meta({ description: 'ids of the results that followed this `main` one, in order; left out where none did' }),
}).meta({ id: 'ResultAndFollowers' });

export const getResult = {
  id: 'getResult',
  method: 'get',
  path: '/api/v1/results/{id}',
  tag: 'results',
  summary: 'Read a result with all its evidence',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The result, with `tls.wire` where it was kept', schema: ResultAndFollowers },
} as const satisfies Operation;
