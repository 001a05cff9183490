import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { PageQuery } from '../query.ts';
import { Silence, SilenceCreate, SilencePatch } from '../silence.ts';

export const listSilences = {
  id: 'listSilences',
  method: 'get',
  path: '/api/v1/silences',
  tag: 'alerting',
  summary: 'List the silences, oldest first',
  access: 'read',
  query: PageQuery,
  success: { status: 200, description: 'A page of silences', schema: pageOf(Silence, 'SilencePage') },
} as const satisfies Operation;

export const createSilence = {
  id: 'createSilence',
  method: 'post',
  path: '/api/v1/silences',
  tag: 'alerting',
  summary: 'Create a silence',
  description:
    'Once, from startsAt to endsAt, or at the times of a cron expression, each for durationMinutes. Incidents still open; those unresolved when the silence ends are notified then.',
  access: 'write',
  body: SilenceCreate,
  success: { status: 201, description: 'The silence', schema: Silence, location: '/api/v1/silences/{id}' },
} as const satisfies Operation;

export const getSilence = {
  id: 'getSilence',
  method: 'get',
  path: '/api/v1/silences/{id}',
  tag: 'alerting',
  summary: 'Read a silence',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The silence', schema: Silence },
} as const satisfies Operation;

export const updateSilence = {
  id: 'updateSilence',
  method: 'patch',
  path: '/api/v1/silences/{id}',
  tag: 'alerting',
  summary: 'Change a silence',
  description: 'Omitted fields keep their values.',
  access: 'write',
  params: ById,
  body: SilencePatch,
  success: { status: 200, description: 'The updated silence', schema: Silence },
} as const satisfies Operation;

export const deleteSilence = {
  id: 'deleteSilence',
  method: 'delete',
  path: '/api/v1/silences/{id}',
  tag: 'alerting',
  summary: 'Delete a silence',
  description: 'Suppressed incidents that are still open are notified within a minute.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;
