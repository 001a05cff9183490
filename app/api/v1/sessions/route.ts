import { deleteSessions, listSessions as list } from '#contract/operations/access.ts';
import { listSessions, signOutEverywhere } from '#server/access/session.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, async ({ caller }) => ({ data: await listSessions(caller.session?.id ?? null) })),
  handle(deleteSessions, async () => {
    await signOutEverywhere();
  }),
);
