import type { KeyScope } from '#contract/key.ts';
import { environment } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import { authenticateKey } from '../keys.ts';
import type { Viewer } from '../secret-settings.ts';
import { isSession, SESSION_COOKIE } from '../session.ts';

/**
 * Who asks, told from a key, a session cookie or nothing; `refused` showed a key that does not work. `scope` null may
 * not even read. Requests are limited by `limitBy`.
 */
export type Caller = {
  kind: 'key' | 'session' | 'anonymous' | 'refused';
  scope: KeyScope | null;
  limitBy: string;
  /** The key's. */
  name?: string;
};

const RANK = { read: 1, write: 2, admin: 3 } as const;

/** Never refuses by itself: guesses at keys are to count against the limit first. */
export async function identify(request: Request): Promise<Caller> {
  const limitBy = `address:${addressOf(request)}`;
  const header = request.headers.get('authorization');
  if (header !== null) {
    const key = await authenticateKey(header);
    return key
      ? { kind: 'key', scope: key.scope, limitBy: `key:${key.id}`, name: key.name }
      : { kind: 'refused', scope: null, limitBy };
  }
  if (await isSession(cookieOf(request, SESSION_COOKIE))) return { kind: 'session', scope: 'admin', limitBy };
  return { kind: 'anonymous', scope: environment().ROUNDTRIP_PUBLIC_DASHBOARD ? 'read' : null, limitBy };
}

/** Throws `unauthorised` for a caller whose key does not work, even where no key was needed. */
export function refuseBadKey(caller: Caller): void {
  if (caller.kind === 'refused') throw new ServiceError('unauthorised', 'The API key is unknown or was revoked.');
}

/** Throws `unauthorised` or `forbidden` unless the caller has at least this scope. */
export function authorise(caller: Caller, needed: KeyScope, request: Request): void {
  if (caller.scope === null || (caller.kind === 'anonymous' && RANK[needed] > RANK[caller.scope])) {
    throw new ServiceError('unauthorised', 'Send an API key as «Authorization: Bearer rt_...», or sign in.');
  }
  if (RANK[caller.scope] < RANK[needed]) {
    throw new ServiceError('forbidden', `This needs the scope ${needed}; the key has ${caller.scope}.`);
  }
  if (caller.kind === 'session') refuseCrossOrigin(request);
}

/** Who did something, as timelines and lists name them: a key by its name, else `dashboard`. */
export function nameOf({ name }: Caller): string {
  return name ?? 'dashboard';
}

/** Whoever may change a target sees more of its settings than a mere reader. */
export function viewerOf({ scope }: Caller): Viewer {
  return scope !== null && RANK[scope] >= RANK.write ? 'editor' : 'reader';
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends the cookie whichever site made it ask; only a page of our own may change things with it.
 * Throws `forbidden`.
 */
export function refuseCrossOrigin(request: Request): void {
  if (READS.has(request.method)) return;
  const origin = request.headers.get('origin');
  const host = request.headers.get('x-forwarded-host') ?? request.headers.get('host');
  if (origin !== null && URL.canParse(origin) && new URL(origin).host === host) return;
  throw new ServiceError(
    'forbidden',
    'With a session, changes can be made from the dashboard’s own pages alone; scripts use an API key.',
  );
}

/** Whence a request with these headers came: the address that the nearest proxy (or Next itself) saw. */
export function addressOf({ headers }: { headers: Pick<Headers, 'get'> }): string {
  return headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() || 'unknown';
}

/** Whether the caller's side of the connection is https: a proxy says so. */
export function isSecure(request: Request): boolean {
  return (request.headers.get('x-forwarded-proto') ?? new URL(request.url).protocol).startsWith('https');
}

function cookieOf(request: Request, name: string): string | undefined {
  const pairs = request.headers.get('cookie')?.split(';') ?? [];
  return pairs
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
