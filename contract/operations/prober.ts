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
    description: 'Enrolled; a credential made by the server is shown this once',
    schema: EnrolResponse,
  },
} as const satisfies Operation;

/** `since` is lenient: whatever the server does not know is answered with the full list. */
const AssignmentsQuery = z.strictObject({ since: z.string().max(200).optional() });

export const getAssignments = {
  id: 'getAssignments',
  method: 'get',
  path: '/api/ingest/assignments',
  tag: 'prober',
  summary: 'What to probe, as what has changed since a revision',
  access: 'prober',
  query: AssignmentsQuery,
  success: { status: 200, description: 'The checks that are new, changed or gone', schema: Assignments },
} as const satisfies Operation;

export const ingestResults = {
  id: 'ingestResults',
  method: 'post',
  path: '/api/ingest/results',
  tag: 'prober',
  summary: 'Hand in a batch of results',
  description:
    'JSON, plain or with `Content-Encoding: gzip`. A result counts once by its id, however often it is sent. A bad result is named in `rejected` and does not cost the good ones; one with `retry: true` is to come again: with the right time where only its time is to blame, else later. A `report` may come along, also without results; sent again with the same `since`, it takes the place of the first.',
  access: 'prober',
  body: IngestBatch,
  maxBytes: MAX_BATCH_BYTES,
  success: { status: 200, description: 'What became of each result', schema: IngestReport },
} as const satisfies Operation;
