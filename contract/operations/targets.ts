import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { Target, TargetCreate, TargetPatch, TargetsQuery } from '../target.ts';

export const listTargets = {
  id: 'listTargets',
  method: 'get',
  path: '/api/v1/targets',
  tag: 'targets',
  summary: 'List the targets, oldest first',
  access: 'read',
  query: TargetsQuery,
  success: { status: 200, description: 'A page of targets', schema: pageOf(Target, 'TargetPage') },
} as const satisfies Operation;

export const createTarget = {
  id: 'createTarget',
  method: 'post',
  path: '/api/v1/targets',
  tag: 'targets',
  summary: 'Create a target',
  description:
    'Probing starts within one poll interval of the probers (10 s). Loopback and private addresses are rejected unless the server allows them.',
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
  description:
    'Omitted fields keep their values; `settings` and `vantages` are replaced as a whole. A target can be sent back as read: `***` in place of a secret, and a `keyPem` of null with the same `certPem`, keep the stored value. A `url` with `***` in it keeps the stored one where nothing else in it is changed. Rejected: `***` where nothing is stored, and a change of origin, `address` or `resolver` that would send a stored secret elsewhere.',
  access: 'write',
  params: ById,
  body: TargetPatch,
  success: { status: 200, description: 'The updated target', schema: Target },
} as const satisfies Operation;

export const deleteTarget = {
  id: 'deleteTarget',
  method: 'delete',
  path: '/api/v1/targets/{id}',
  tag: 'targets',
  summary: 'Delete a target',
  description: 'Its results are kept until their retention ends.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;
