import { refuseCrossOrigin, setCookies, signInFrom } from '#server/access/access.ts';
import { signIn } from '#server/access/session.ts';
import { readForm } from '#server/http/body.ts';
import { problemOf } from '#server/http/problem.ts';
import { localPath } from '../local-path.ts';

/** The login form: goes on to where its sender wanted to be, or back to the form, which says what was wrong. */
export async function POST(request: Request): Promise<Response> {
  try {
    if (request.headers.has('origin')) refuseCrossOrigin(request);
    const form = await readForm(request);
    return await answer(request, form.get('password') ?? '', localPath(form.get('next')));
  } catch (error) {
    return problemOf(error);
  }
}

/** What the form says, by the status of the answer that a script would get (login/page.tsx). */
const SAID: Record<number, string> = { 401: 'wrong', 429: 'limited', 503: 'away' };

async function answer(request: Request, password: string, next: string): Promise<Response> {
  const headers = new Headers({ 'cache-control': 'no-store', location: next });
  try {
    setCookies(headers, await signIn(password, signInFrom(request)), request);
  } catch (error) {
    const refusal = problemOf(error);
    const problem = SAID[refusal.status];
    if (!problem) return refusal;
    const query = new URLSearchParams({ next, problem });
    const seconds = refusal.headers.get('retry-after');
    if (problem === 'limited' && seconds) query.set('seconds', seconds);
    headers.set('location', `/login?${query}`);
  }
  return new Response(null, { status: 303, headers });
}
