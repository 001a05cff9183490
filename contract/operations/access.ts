import { ApiKey, ApiKeyCreated, KeyCreate } from '../key.ts';
import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { PageQuery } from '../query.ts';
import { ActiveSessions, PasswordChange, Session, SessionCreate } from '../session.ts';

export const listKeys = {
  id: 'listKeys',
  method: 'get',
  path: '/api/v1/keys',
  tag: 'access',
  summary: 'List the active API keys',
  access: 'admin',
  query: PageQuery,
  success: { status: 200, description: 'A page of keys, without the secrets', schema: pageOf(ApiKey, 'ApiKeyPage') },
} as const satisfies Operation;

export const createKey = {
  id: 'createKey',
  method: 'post',
  path: '/api/v1/keys',
  tag: 'access',
  summary: 'Create an API key',
  access: 'admin',
  body: KeyCreate,
  success: { status: 201, description: 'The key, which is shown only here', schema: ApiKeyCreated },
} as const satisfies Operation;

export const deleteKey = {
  id: 'deleteKey',
  method: 'delete',
  path: '/api/v1/keys/{id}',
  tag: 'access',
  summary: 'Revoke an API key',
  access: 'admin',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const getSession = {
  id: 'getSession',
  method: 'get',
  path: '/api/v1/session',
  tag: 'access',
  summary: 'Read the current session',
  access: 'public',
  success: { status: 200, description: 'What the caller may do', schema: Session },
} as const satisfies Operation;

export const createSession = {
  id: 'createSession',
  method: 'post',
  path: '/api/v1/session',
  tag: 'access',
  summary: 'Sign in to the dashboard',
  description:
    'Sets the cookie `rt_session_…` (over https `__Host-rt_session_…`; the end of the name stands for the installation, of which one host may have several) for 14 days, and `rt_browser_…`, which identifies this browser to the rate limit. After five wrong passwords from one address (an IPv6 /64), attempts are blocked for 1 s, doubling up to 15 min; `Retry-After` gives the wait.',
  access: 'public',
  body: SessionCreate,
  success: { status: 200, description: 'Signed in', schema: Session },
} as const satisfies Operation;

export const deleteSession = {
  id: 'deleteSession',
  method: 'delete',
  path: '/api/v1/session',
  tag: 'access',
  summary: 'Sign out of the dashboard',
  access: 'public',
  success: gone,
} as const satisfies Operation;

export const listSessions = {
  id: 'listSessions',
  method: 'get',
  path: '/api/v1/sessions',
  tag: 'access',
  summary: 'List the browsers that are signed in',
  access: 'admin',
  success: { status: 200, description: 'The sessions, at most 500', schema: ActiveSessions },
} as const satisfies Operation;

export const deleteSessions = {
  id: 'deleteSessions',
  method: 'delete',
  path: '/api/v1/sessions',
  tag: 'access',
  summary: 'Sign out everywhere',
  description: 'Ends every session, including the caller’s. API keys keep working.',
  access: 'admin',
  success: gone,
} as const satisfies Operation;

export const changePassword = {
  id: 'changePassword',
  method: 'post',
  path: '/api/v1/password',
  tag: 'access',
  summary: "Change the administrator's password",
  description: 'Ends every session except the caller’s. A session must also send the current password.',
  access: 'admin',
  body: PasswordChange,
  success: { status: 204, description: 'Changed; no content' },
} as const satisfies Operation;
