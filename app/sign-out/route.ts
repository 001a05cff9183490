import { sessionCookieOf, setCookies } from '#server/access/access.ts';
import { refuseCrossOrigin } from '#server/access/origin.ts';
import { signOut } from '#server/access/session.ts';
import { formRefusal } from '../form-refusal.ts';

/** The button in the header: ends this session on the server too, so that a copy of its cookie opens nothing. */
export async function POST(request: Request): Promise<Response> {
  try {
    refuseCrossOrigin(request);
    await signOut(sessionCookieOf(request));
  } catch (error) {
    return formRefusal(error, request);
  }
  const headers = new Headers({ 'cache-control': 'no-store', location: '/login' });
  setCookies(headers, null, request);
  return new Response(null, { status: 303, headers });
}
