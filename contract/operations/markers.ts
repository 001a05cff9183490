import { Marker, MarkerCreate, MarkersQuery } from '../marker.ts';
import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';

export const listMarkers = {
  id: 'listMarkers',
  method: 'get',
  path: '/api/v1/markers',
  tag: 'incidents',
  summary: 'List deployment and change markers, newest first',
  access: 'read',
  query: MarkersQuery,
  success: { status: 200, description: 'A page of markers', schema: pageOf(Marker, 'MarkerPage') },
} as const satisfies Operation;

export const createMarker = {
  id: 'createMarker',
  method: 'post',
  path: '/api/v1/markers',
  tag: 'incidents',
  summary: 'Mark a deployment or configuration change',
  description:
    'Shown on charts; incidents that begin within an hour of it list it as a candidate cause. With `compareMinutes` a comparison around it is computed, too.',
  access: 'write',
  body: MarkerCreate,
  success: { status: 201, description: 'The marker', schema: Marker, location: '/api/v1/markers/{id}' },
  problems: [409],
} as const satisfies Operation;

export const getMarker = {
  id: 'getMarker',
  method: 'get',
  path: '/api/v1/markers/{id}',
  tag: 'incidents',
  summary: 'Read a marker',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The marker', schema: Marker },
} as const satisfies Operation;

export const deleteMarker = {
  id: 'deleteMarker',
  method: 'delete',
  path: '/api/v1/markers/{id}',
  tag: 'incidents',
  summary: 'Delete a marker',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;
