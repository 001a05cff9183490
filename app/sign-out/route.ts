import { refuseCrossOrigin, sessionCookieOf, setCookies } from '#server/access/access.ts';
import { signOut } from '#server/access/session.ts';
import { problemOf } from '#server/http/problem.ts';

/** The button in the header: ends this session on the server too, so that a copy of its cookie opens nothing. */
export async function POST(request: Request): Promise<Response> {
  try {
    refuseCrossOrigin(request);
    await signOut(sessionCookieOf(request));
  } catch (error) {
    return problemOf(error);
  }
  const headers = new Headers({ 'cache-control': 'no-store', location: '/login' });
  setCookies(headers, null, request);
  return new Response(null, { status: 303, headers });
}
