import { z } from 'zod';
import { Assignments } from '../check.ts';
import { EnrolRequest, EnrolResponse, IngestBatch, IngestReport, MAX_BATCH_BYTES } from '../ingest.ts';
import type { Operation } from '../operation.ts';

export const enrolProber = {
  id: 'enrolProber',
  method: 'post',
  path: '/api/ingest/enrol',
  tag: 'prober',
  summary: 'Exchange a one-time token for a credential',
  access: 'public',
  body: EnrolRequest,
  success: {
    status: 200,
    description: 'Enrolled; a credential created by the server is shown only here',
    schema: EnrolResponse,
  },
} as const satisfies Operation;

/** `since` is lenient: an unknown revision gets the full list. */
const AssignmentsQuery = z.strictObject({ since: z.string().max(200).optional() });

export const getAssignments = {
  id: 'getAssignments',
  method: 'get',
  path: '/api/ingest/assignments',
  tag: 'prober',
  summary: 'List the checks of a prober that changed since a revision',
  access: 'prober',
  query: AssignmentsQuery,
  success: { status: 200, description: 'New, changed and removed checks', schema: Assignments },
} as const satisfies Operation;

export const ingestResults = {
  id: 'ingestResults',
  method: 'post',
  path: '/api/ingest/results',
  tag: 'prober',
  summary: 'Submit a batch of results',
  description:
    'JSON, plain or with `Content-Encoding: gzip`. A result is stored once per id, however often it is sent; another result with its id is rejected. Invalid results are listed in `rejected`; the others are stored. One with `retry: true` should be sent again: with a corrected time if only its time is invalid, otherwise later. A `report` may be included, also without results; one with the same `since` replaces the earlier one. Wait `nextBatchMs` before the next batch, unless 250 results are waiting.',
  access: 'prober',
  body: IngestBatch,
  maxBytes: MAX_BATCH_BYTES,
  success: { status: 200, description: 'The outcome of each result', schema: IngestReport },
} as const satisfies Operation;
