import { z } from 'zod';
import { ById, type Operation } from '../operation.ts';
import { ComparisonExportQuery, ResultsExportQuery } from '../query.ts';

export const exportResults = {
  id: 'exportResults',
  method: 'get',
  path: '/api/v1/exports/results',
  tag: 'results',
  summary: 'Export results, newest first, as CSV, NDJSON or Parquet',
  description:
    'All that match, however many, sent as they are read. CSV has a header row (RFC 4180), NDJSON a `Result` a line, and Parquet the columns of the CSV with their types: numbers are doubles, instants are timestamps of milliseconds. An export that fails midway ends without the end of its HTTP message (the last chunk, or the stream of HTTP/2): a client reports that as an error.',
  access: 'read',
  query: ResultsExportQuery,
  success: {
    status: 200,
    description: 'All matching results',
    other: {
      'text/csv': z.string(),
      'application/x-ndjson': z.string(),
      'application/vnd.apache.parquet': z.string().meta({ format: 'binary' }),
    },
  },
  problems: [404],
} as const satisfies Operation;

export const exportComparison = {
  id: 'exportComparison',
  method: 'get',
  path: '/api/v1/exports/comparisons/{id}',
  tag: 'incidents',
  summary: 'Export a comparison as CSV',
  description:
    'A row for all, then one a region, a region and carrier, a vantage; the header alone where there are no figures.',
  access: 'read',
  params: ById,
  query: ComparisonExportQuery,
  success: { status: 200, description: 'The comparison', other: { 'text/csv': z.string() } },
} as const satisfies Operation;
