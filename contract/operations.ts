import { z } from 'zod';
import { Assignments } from './check.ts';
import { DemoState } from './demo.ts';
import { Health, Readiness } from './health.ts';
import { EnrolRequest, EnrolResponse, IngestBatch, IngestReport, MAX_BATCH_BYTES } from './ingest.ts';
import { ApiKey, ApiKeyCreated, KeyCreate } from './key.ts';
import type { Operation } from './operation.ts';
import { pageOf } from './problem.ts';
import { Matrix, MatrixQuery, PageQuery, ResultsQuery, Series, SeriesQuery } from './query.ts';
import { Result } from './result.ts';
import { Session, SessionCreate } from './session.ts';
import { Staples, StaplesQuery } from './staples.ts';
import { Target, TargetCreate, TargetPatch } from './target.ts';
import { Enrolment, EnrolmentCreate, Vantage, VantagePatch } from './vantage.ts';

const ById = z.strictObject({ id: z.uuid() });
/** A result, and the ids of those that followed it: left out where none did. */
const ResultAndFollowers = Result.extend({
  followers: z
    .array(z.uuid())
    .optional()
    .meta({ description: 'ids of the results that followed this `main` one, in order; left out where none did' }),
}).meta({ id: 'ResultAndFollowers' });
const gone = { status: 204, description: 'Done; there is nothing to say' } as const;

export const listTargets = {
  id: 'listTargets',
  method: 'get',
  path: '/api/v1/targets',
  tag: 'targets',
  summary: 'List the targets, oldest first',
  access: 'read',
  query: PageQuery,
  success: { status: 200, description: 'A page of targets', schema: pageOf(Target, 'TargetPage') },
} as const satisfies Operation;

export const createTarget = {
  id: 'createTarget',
  method: 'post',
  path: '/api/v1/targets',
  tag: 'targets',
  summary: 'Watch a URL',
  description:
    'Probes start within a poll of the probers (10 s). A host that is a loopback or private address is refused unless the server allows it.',
  access: 'write',
  body: TargetCreate,
  success: { status: 201, description: 'The target', schema: Target, location: '/api/v1/targets/{id}' },
} as const satisfies Operation;

export const getTarget = {
  id: 'getTarget',
  method: 'get',
  path: '/api/v1/targets/{id}',
  tag: 'targets',
  summary: 'Read a target',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The target', schema: Target },
} as const satisfies Operation;

export const updateTarget = {
  id: 'updateTarget',
  method: 'patch',
  path: '/api/v1/targets/{id}',
  tag: 'targets',
  summary: 'Change a target',
  description: 'Fields left out stay as they are; `settings` and `vantages` are replaced whole.',
  access: 'write',
  params: ById,
  body: TargetPatch,
  success: { status: 200, description: 'The target as it is now', schema: Target },
} as const satisfies Operation;

export const deleteTarget = {
  id: 'deleteTarget',
  method: 'delete',
  path: '/api/v1/targets/{id}',
  tag: 'targets',
  summary: 'Stop watching a target',
  description: 'Its results stay until their retention ends.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const getStaples = {
  id: 'getStaples',
  method: 'get',
  path: '/api/v1/targets/{id}/staples',
  tag: 'statistics',
  summary: 'How often the servers of a target staple, by address and kind of certificate',
  description:
    'Over the clean main results of at most 7 days. A connection could have stapled where the certificate names a responder or a staple came; a resumed handshake tells nothing and does not count. A server may miss the first request after its start: a ratio says more than one result.',
  access: 'read',
  params: ById,
  query: StaplesQuery,
  success: { status: 200, description: 'Hit ratios', schema: Staples },
} as const satisfies Operation;

export const listVantages = {
  id: 'listVantages',
  method: 'get',
  path: '/api/v1/vantages',
  tag: 'vantages',
  summary: 'List the vantages, oldest first',
  access: 'read',
  query: PageQuery,
  success: { status: 200, description: 'A page of vantages', schema: pageOf(Vantage, 'VantagePage') },
} as const satisfies Operation;

export const getVantage = {
  id: 'getVantage',
  method: 'get',
  path: '/api/v1/vantages/{id}',
  tag: 'vantages',
  summary: 'Read a vantage',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The vantage', schema: Vantage },
} as const satisfies Operation;

export const updateVantage = {
  id: 'updateVantage',
  method: 'patch',
  path: '/api/v1/vantages/{id}',
  tag: 'vantages',
  summary: 'Change the labels of a vantage',
  description: 'Results taken before keep the vantage and are shown under its new labels.',
  access: 'write',
  params: ById,
  body: VantagePatch,
  success: { status: 200, description: 'The vantage as it is now', schema: Vantage },
} as const satisfies Operation;

export const deleteVantage = {
  id: 'deleteVantage',
  method: 'delete',
  path: '/api/v1/vantages/{id}',
  tag: 'vantages',
  summary: 'Remove a vantage and end its prober’s right to it',
  description: 'A prober that is left without a vantage is locked out. Results stay until their retention ends.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const createEnrolment = {
  id: 'createEnrolment',
  method: 'post',
  path: '/api/v1/enrolments',
  tag: 'vantages',
  summary: 'Make a vantage and a one-time token for its prober',
  access: 'write',
  body: EnrolmentCreate,
  success: {
    status: 201,
    description: 'The vantage, and the token: it is shown this once',
    schema: Enrolment,
    location: '/api/v1/vantages/{vantage.id}',
  },
} as const satisfies Operation;

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
    schema: pageOf(Result, 'ResultPage'),
    other: { 'text/csv': z.string(), 'application/x-ndjson': z.string() },
  },
  problems: [404],
} as const satisfies Operation;

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

export const getSeries = {
  id: 'getSeries',
  method: 'get',
  path: '/api/v1/series',
  tag: 'statistics',
  summary: 'A statistic of one metric over time',
  description:
    'A point is `[instant, value, n]`; a bucket without data has value null and n 0. Percentiles come from merged histograms, never from averaged percentiles.',
  access: 'read',
  query: SeriesQuery,
  success: { status: 200, description: 'One line for each group', schema: Series },
  problems: [404],
} as const satisfies Operation;

export const getMatrix = {
  id: 'getMatrix',
  method: 'get',
  path: '/api/v1/matrix',
  tag: 'statistics',
  summary: 'A statistic of one metric for each region and carrier',
  description:
    'Rows are regions, columns carriers, with margins over each and over all. A cell without data has value null and n 0.',
  access: 'read',
  query: MatrixQuery,
  success: { status: 200, description: 'Cells and margins', schema: Matrix },
  problems: [404],
} as const satisfies Operation;

export const listKeys = {
  id: 'listKeys',
  method: 'get',
  path: '/api/v1/keys',
  tag: 'access',
  summary: 'List the API keys that work',
  access: 'admin',
  query: PageQuery,
  success: { status: 200, description: 'A page of keys, without the secrets', schema: pageOf(ApiKey, 'ApiKeyPage') },
} as const satisfies Operation;

export const createKey = {
  id: 'createKey',
  method: 'post',
  path: '/api/v1/keys',
  tag: 'access',
  summary: 'Make an API key',
  access: 'admin',
  body: KeyCreate,
  success: { status: 201, description: 'The key: it is shown this once', schema: ApiKeyCreated },
} as const satisfies Operation;

export const deleteKey = {
  id: 'deleteKey',
  method: 'delete',
  path: '/api/v1/keys/{id}',
  tag: 'access',
  summary: 'Revoke an API key',
  access: 'admin',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const getSession = {
  id: 'getSession',
  method: 'get',
  path: '/api/v1/session',
  tag: 'access',
  summary: 'Who am I?',
  access: 'public',
  success: { status: 200, description: 'What the caller may do', schema: Session },
} as const satisfies Operation;

export const createSession = {
  id: 'createSession',
  method: 'post',
  path: '/api/v1/session',
  tag: 'access',
  summary: 'Sign in to the dashboard',
  description:
    'Sets the cookie `rt_session` for a fortnight. Ten wrong passwords from one address in 15 minutes lock it out.',
  access: 'public',
  body: SessionCreate,
  success: { status: 200, description: 'Signed in', schema: Session },
} as const satisfies Operation;

export const deleteSession = {
  id: 'deleteSession',
  method: 'delete',
  path: '/api/v1/session',
  tag: 'access',
  summary: 'Sign out of the dashboard',
  access: 'public',
  success: gone,
} as const satisfies Operation;

export const getDemo = {
  id: 'getDemo',
  method: 'get',
  path: '/api/v1/demo',
  tag: 'system',
  summary: 'Is the demo network there?',
  access: 'read',
  success: { status: 200, description: 'The state of the demo', schema: DemoState },
} as const satisfies Operation;

export const deleteDemo = {
  id: 'deleteDemo',
  method: 'delete',
  path: '/api/v1/demo',
  tag: 'system',
  summary: 'Remove the demo for good',
  description: 'Deletes its targets, vantages, results and rollups. It does not come back.',
  access: 'admin',
  success: gone,
} as const satisfies Operation;

export const getOpenApi = {
  id: 'getOpenApi',
  method: 'get',
  path: '/api/v1/openapi.json',
  tag: 'system',
  summary: 'This document',
  access: 'public',
  success: { status: 200, description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) },
} as const satisfies Operation;

export const enrolProber = {
  id: 'enrolProber',
  method: 'post',
  path: '/api/ingest/enrol',
  tag: 'prober',
  summary: 'Exchange a one-time token for a credential',
  access: 'public',
  body: EnrolRequest,
  success: { status: 200, description: 'The credential: it is shown this once', schema: EnrolResponse },
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
    'JSON, plain or with `Content-Encoding: gzip`. A result counts once by its id, however often it is sent. A bad result is named in `rejected` and does not cost the good ones. A `report` may come along, also without results; sent again with the same `since`, it takes the place of the first.',
  access: 'prober',
  body: IngestBatch,
  maxBytes: MAX_BATCH_BYTES,
  success: { status: 200, description: 'What became of each result', schema: IngestReport },
} as const satisfies Operation;

export const getHealth = {
  id: 'getHealth',
  method: 'get',
  path: '/api/health',
  tag: 'system',
  summary: 'Does the process serve?',
  access: 'public',
  success: { status: 200, description: 'It does', schema: Health },
} as const satisfies Operation;

export const getReady = {
  id: 'getReady',
  method: 'get',
  path: '/api/ready',
  tag: 'system',
  summary: 'Are database, migrations and jobs up?',
  access: 'public',
  success: { status: 200, description: 'They are', schema: Readiness },
  problems: [503],
} as const satisfies Operation;

export const getMetrics = {
  id: 'getMetrics',
  method: 'get',
  path: '/metrics',
  tag: 'system',
  summary: 'Metrics in the text format of Prometheus',
  description:
    'Anybody gets those of the process: memory, event loop, requests, ingested results. Whoever may read (a key with the scope `read`, or a public dashboard) also gets availability and TLS times of each target, and what each prober missed or spoilt, over the last hour.',
  access: 'public',
  success: { status: 200, description: 'The metrics', other: { 'text/plain': z.string() } },
} as const satisfies Operation;

/** Every operation, in the order of the document. */
export const OPERATIONS: readonly Operation[] = [
  listTargets,
  createTarget,
  getTarget,
  updateTarget,
  deleteTarget,
  getStaples,
  listVantages,
  getVantage,
  updateVantage,
  deleteVantage,
  createEnrolment,
  listResults,
  getResult,
  getSeries,
  getMatrix,
  listKeys,
  createKey,
  deleteKey,
  getSession,
  createSession,
  deleteSession,
  getDemo,
  deleteDemo,
  getOpenApi,
  enrolProber,
  getAssignments,
  ingestResults,
  getHealth,
  getReady,
  getMetrics,
];
