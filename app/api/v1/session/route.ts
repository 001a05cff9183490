import { createSession, deleteSession, getSession } from '#contract/operations/access.ts';
import type { Session } from '#contract/session.ts';
import { environment } from '#server/environment.ts';
import { addressOf, isSecure, refuseCrossOrigin } from '#server/http/caller.ts';
import { handle, resource } from '#server/http/route.ts';
import { sessionCookie, signIn } from '#server/session.ts';

const session = (signedIn: boolean, scope: Session['scope']): Session => ({
  signedIn,
  scope,
  publicDashboard: environment().ROUNDTRIP_PUBLIC_DASHBOARD,
});

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getSession, ({ caller }) => session(caller.kind !== 'anonymous', caller.scope)),
  handle(createSession, async ({ request, body }) => {
    // A script sends no Origin; a page of another site does, and must not sign anybody in.
    if (request.headers.has('origin')) refuseCrossOrigin(request);
    const sealed = await signIn(body.password, addressOf(request));
    const headers = { 'set-cookie': sessionCookie(sealed, isSecure(request)) };
    return Response.json(session(true, 'admin'), { headers });
  }),
  handle(deleteSession, ({ request }) => {
    if (request.headers.has('origin')) refuseCrossOrigin(request);
    return new Response(null, { status: 204, headers: { 'set-cookie': sessionCookie(null, isSecure(request)) } });
  }),
);
