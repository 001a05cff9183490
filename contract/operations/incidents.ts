import { Detection, DetectionsQuery } from '../detection.ts';
import { Incident, IncidentDetail, IncidentPatch, IncidentsQuery, RegressionsQuery } from '../incident.ts';
import { ById, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';

export const listIncidents = {
  id: 'listIncidents',
  method: 'get',
  path: '/api/v1/incidents',
  tag: 'incidents',
  summary: 'List incidents, the last opened or the gravest first',
  access: 'read',
  query: IncidentsQuery,
  success: { status: 200, description: 'A page of incidents', schema: pageOf(Incident, 'IncidentPage') },
} as const satisfies Operation;

export const getIncident = {
  id: 'getIncident',
  method: 'get',
  path: '/api/v1/incidents/{id}',
  tag: 'incidents',
  summary: 'Read an incident with its timeline',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The incident', schema: IncidentDetail },
} as const satisfies Operation;

export const updateIncident = {
  id: 'updateIncident',
  method: 'patch',
  path: '/api/v1/incidents/{id}',
  tag: 'incidents',
  summary: 'Acknowledge, resolve, accept, merge or split an incident, or call it not useful',
  description:
    'An acknowledged incident sends no reminders. An incident resolved manually reopens if it continues; an accepted one if series join. `not_useful` doubles the effect that new incidents of its kind, rule and scope need for 14 days. Of two concurrent requests one gets 409.',
  access: 'write',
  params: ById,
  body: IncidentPatch,
  success: { status: 200, description: 'The updated incident', schema: IncidentDetail },
  problems: [409],
} as const satisfies Operation;

export const listRegressions = {
  id: 'listRegressions',
  method: 'get',
  path: '/api/v1/regressions',
  tag: 'incidents',
  summary: 'List lasting changes, largest first',
  access: 'read',
  query: RegressionsQuery,
  success: { status: 200, description: 'A page of incidents', schema: pageOf(Incident, 'RegressionPage') },
} as const satisfies Operation;

export const listDetections = {
  id: 'listDetections',
  method: 'get',
  path: '/api/v1/detections',
  tag: 'incidents',
  summary: 'List what was found at single series, the latest first',
  description: 'With `incident=false` the log of what was too small to open an incident.',
  access: 'read',
  query: DetectionsQuery,
  success: { status: 200, description: 'A page of detections', schema: pageOf(Detection, 'DetectionPage') },
} as const satisfies Operation;
