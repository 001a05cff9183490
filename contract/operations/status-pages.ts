import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { PageQuery } from '../query.ts';
import { MAX_STATUS_PAGES, StatusPage, StatusPageCreate, StatusPageCreated } from '../status-page.ts';

export const listStatusPages = {
  id: 'listStatusPages',
  method: 'get',
  path: '/api/v1/status-pages',
  tag: 'targets',
  summary: 'List the public status pages',
  access: 'admin',
  query: PageQuery,
  success: {
    status: 200,
    description: 'A page of status pages, without their links',
    schema: pageOf(StatusPage, 'StatusPagePage'),
  },
} as const satisfies Operation;

export const createStatusPage = {
  id: 'createStatusPage',
  method: 'post',
  path: '/api/v1/status-pages',
  tag: 'targets',
  summary: 'Make a public status page',
  description: `Anyone with its link sees the names and the state of the targets, their TLS times and their open incidents: no addresses, settings or other targets. At most ${MAX_STATUS_PAGES}.`,
  access: 'admin',
  body: StatusPageCreate,
  success: { status: 201, description: 'The page with its link, which is shown only here', schema: StatusPageCreated },
  problems: [409],
} as const satisfies Operation;

export const deleteStatusPage = {
  id: 'deleteStatusPage',
  method: 'delete',
  path: '/api/v1/status-pages/{id}',
  tag: 'targets',
  summary: 'Delete a status page and end its link',
  access: 'admin',
  params: ById,
  success: gone,
} as const satisfies Operation;
