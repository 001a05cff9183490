import { setCookies, signInFrom } from '#server/access/access.ts';
import { refuseForeignOrigin } from '#server/access/origin.ts';
import { type SignedIn, signIn, signInByLink } from '#server/access/session.ts';
import { readForm } from '#server/http/body.ts';
import { problemOf } from '#server/http/problem.ts';
import { formRefusal } from '../form-refusal.ts';
import { localPath } from '../local-path.ts';

/**
 * The login form, with the password or the token of a link: goes on to where its sender wanted to be, or back to the form,
 * which says what was wrong. A link is used by its form alone: what merely opens or prefetches it changes nothing.
 */
export async function POST(request: Request): Promise<Response> {
  try {
    refuseForeignOrigin(request);
    const form = await readForm(request);
    const from = signInFrom(request);
    const token = form.get('token');
    const begin = () => (token === null ? signIn(form.get('password') ?? '', from) : signInByLink(token, from));
    return await answer(request, begin, {
      next: localPath(form.get('next')),
      wrong: token === null ? 'wrong' : 'link',
    });
  } catch (error) {
    return formRefusal(error, request);
  }
}

type Form = { next: string; wrong: 'wrong' | 'link' };

async function answer(request: Request, begin: () => Promise<SignedIn>, { next, wrong }: Form): Promise<Response> {
  const headers = new Headers({ 'cache-control': 'no-store', location: next });
  try {
    setCookies(headers, await begin(), request);
  } catch (error) {
    const refusal = problemOf(error);
    // What the form says, by the status of the answer that a script would get (login/page.tsx).
    const said: Record<number, string> = { 401: wrong, 429: 'limited', 503: 'away' };
    const problem = said[refusal.status];
    if (!problem) throw error;
    const query = new URLSearchParams({ next, problem });
    const seconds = refusal.headers.get('retry-after');
    if (problem === 'limited' && seconds) query.set('seconds', seconds);
    headers.set('location', `/login?${query}`);
  }
  return new Response(null, { status: 303, headers });
}
