import { Comparison, ComparisonCreate, ComparisonDetail, ComparisonShare, ComparisonsQuery } from '../comparison.ts';
import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { ComparisonQuery } from '../query.ts';

export const listComparisons = {
  id: 'listComparisons',
  method: 'get',
  path: '/api/v1/comparisons',
  tag: 'incidents',
  summary: 'List comparisons, newest first',
  access: 'read',
  query: ComparisonsQuery,
  success: { status: 200, description: 'A page of comparisons', schema: pageOf(Comparison, 'ComparisonPage') },
} as const satisfies Operation;

export const createComparison = {
  id: 'createComparison',
  method: 'post',
  path: '/api/v1/comparisons',
  tag: 'incidents',
  summary: 'Compare two windows of a target',
  description:
    'Around a marker, around the onset of an incident, or of any two ranges. It is computed within seconds, or once the later window is over; the event `comparison.ready` says so.',
  access: 'write',
  body: ComparisonCreate,
  success: { status: 201, description: 'The comparison', schema: Comparison, location: '/api/v1/comparisons/{id}' },
  problems: [404, 409],
} as const satisfies Operation;

export const getComparison = {
  id: 'getComparison',
  method: 'get',
  path: '/api/v1/comparisons/{id}',
  tag: 'incidents',
  summary: 'Read a comparison',
  access: 'read',
  params: ById,
  query: ComparisonQuery,
  success: { status: 200, description: 'The comparison', schema: ComparisonDetail },
} as const satisfies Operation;

export const deleteComparison = {
  id: 'deleteComparison',
  method: 'delete',
  path: '/api/v1/comparisons/{id}',
  tag: 'incidents',
  summary: 'Delete a comparison',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const shareComparison = {
  id: 'shareComparison',
  method: 'post',
  path: '/api/v1/comparisons/{id}/share',
  tag: 'incidents',
  summary: 'Make a link that shows a comparison without sign-in',
  description: 'An earlier link stops working. The link leads to this one page alone.',
  access: 'admin',
  params: ById,
  success: { status: 201, description: 'The link', schema: ComparisonShare },
} as const satisfies Operation;

export const unshareComparison = {
  id: 'unshareComparison',
  method: 'delete',
  path: '/api/v1/comparisons/{id}/share',
  tag: 'incidents',
  summary: 'Revoke the link of a comparison',
  access: 'admin',
  params: ById,
  success: gone,
} as const satisfies Operation;
