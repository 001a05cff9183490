import { ServiceError } from '#server/errors.ts';
import { readForm } from '#server/http/body.ts';
import { refuseCrossOrigin, setCookies, signInFrom } from '#server/http/caller.ts';
import { problemOf } from '#server/http/problem.ts';
import { signIn } from '#server/session.ts';
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

async function answer(request: Request, password: string, next: string): Promise<Response> {
  const headers = new Headers({ 'cache-control': 'no-store', location: next });
  try {
    setCookies(headers, await signIn(password, signInFrom(request)), request);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const query = new URLSearchParams({ next, problem: error.code === 'rate_limited' ? 'limited' : 'wrong' });
    if (error.retryAfter !== undefined) query.set('seconds', String(error.retryAfter));
    headers.set('location', `/login?${query}`);
  }
  return new Response(null, { status: 303, headers });
}
