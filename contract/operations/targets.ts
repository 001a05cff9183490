import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { PageQuery } from '../query.ts';
import { Target, TargetCreate, TargetPatch } from '../target.ts';

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
  description:
    'Fields left out stay as they are; `settings` and `vantages` are replaced whole. What was read can be given back: `***` in the place of a secret, and a `keyPem` of null beside the same `certPem`, keep what is stored. `***` where nothing is stored is refused, and so is a change of origin, `address` or `resolver` that would send a stored secret elsewhere.',
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
