import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { NamedQuery } from '../query.ts';
import { Enrolment, EnrolmentCreate, EnrolmentRenew, Vantage, VantagePatch } from '../vantage.ts';

export const listVantages = {
  id: 'listVantages',
  method: 'get',
  path: '/api/v1/vantages',
  tag: 'vantages',
  summary: 'List the vantages, oldest first',
  access: 'read',
  query: NamedQuery,
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
  description:
    'Earlier results stay with the vantage and are shown under its new labels. Setting `mayHoldSecrets` needs the scope `admin`, and ends the unused tokens of the vantage.',
  access: 'write',
  params: ById,
  body: VantagePatch,
  success: { status: 200, description: 'The updated vantage', schema: Vantage },
} as const satisfies Operation;

export const deleteVantage = {
  id: 'deleteVantage',
  method: 'delete',
  path: '/api/v1/vantages/{id}',
  tag: 'vantages',
  summary: 'Delete a vantage and revoke its prober’s access',
  description: 'A prober without any vantage is locked out. Results are kept until their retention ends.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;

const ENROLLED = {
  status: 201,
  description: 'The vantage, and the token, which is shown only here',
  schema: Enrolment,
  location: '/api/v1/vantages/{vantage.id}',
} as const;

export const createEnrolment = {
  id: 'createEnrolment',
  method: 'post',
  path: '/api/v1/enrolments',
  tag: 'vantages',
  summary: 'Create a vantage and a one-time token for its prober',
  description: 'A vantage that `mayHoldSecrets` needs the scope `admin`.',
  access: 'write',
  body: EnrolmentCreate,
  success: ENROLLED,
} as const satisfies Operation;

export const renewEnrolment = {
  id: 'renewEnrolment',
  method: 'post',
  path: '/api/v1/vantages/{id}/enrolments',
  tag: 'vantages',
  summary: 'Create a new one-time token for a vantage',
  description:
    'For a prober on another machine, or one whose data folder is lost. Earlier unused tokens of the vantage stop working. Its present prober goes on until the token is exchanged; from then on the new one has the vantage. For a vantage that `mayHoldSecrets` this needs the scope `admin`.',
  access: 'write',
  params: ById,
  body: EnrolmentRenew,
  bodyOptional: true,
  success: ENROLLED,
  problems: [409],
} as const satisfies Operation;
