import { ImportCreate, ImportReport, MAX_IMPORT_BYTES } from '../import.ts';
import type { Operation } from '../operation.ts';

export const importMeasurements = {
  id: 'importMeasurements',
  method: 'post',
  path: '/api/v1/imports',
  tag: 'results',
  summary: 'Import what another monitor measured, as history of a target',
  description:
    'Charts show it beside what probers measure; the detector, alert rules, advice and comparisons do not look at it. Each place of a source becomes a vantage with `imported: true`, which no prober serves. The same measurement sent again is stored once, so a request may be repeated. What is older than results and their rollups are kept is counted and not stored; a measurement of the future is rejected. JSON, plain or with `Content-Encoding: gzip`.',
  access: 'write',
  body: ImportCreate,
  maxBytes: MAX_IMPORT_BYTES,
  success: { status: 200, description: 'What became of the measurements', schema: ImportReport },
  problems: [404, 409, 503],
} as const satisfies Operation;
