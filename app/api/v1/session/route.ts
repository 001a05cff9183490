import { createSession, deleteSession, getSession } from '#contract/operations/access.ts';
import type { Session } from '#contract/session.ts';
import { sessionCookieOf, setCookies, signInFrom } from '#server/access/access.ts';
import { refuseForeignOrigin } from '#server/access/origin.ts';
import { signIn, signOut } from '#server/access/session.ts';
import { environment } from '#server/environment/environment.ts';
import { handle, resource } from '#server/http/http.ts';

const session = (signedIn: boolean, scope: Session['scope']): Session => ({
  signedIn,
  scope,
  publicDashboard: environment().ROUNDTRIP_PUBLIC_DASHBOARD,
});

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getSession, ({ caller }) => session(caller.kind !== 'anonymous', caller.scope)),
  handle(createSession, async ({ request, body }) => {
    // A script sends no Origin; a page of another site does, and must not sign anybody in.
    refuseForeignOrigin(request);
    const signedIn = await signIn(body.password, signInFrom(request));
    const response = Response.json(session(true, 'admin'));
    setCookies(response.headers, signedIn, request);
    return response;
  }),
  handle(deleteSession, async ({ request }) => {
    refuseForeignOrigin(request);
    await signOut(sessionCookieOf(request));
    const response = new Response(null, { status: 204 });
    setCookies(response.headers, null, request);
    return response;
  }),
);
