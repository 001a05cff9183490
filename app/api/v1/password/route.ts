import { changePassword as change } from '#contract/operations/access.ts';
import { handle, resource } from '#server/http/route.ts';
import { changePassword } from '#server/session.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(change, ({ caller, body: { currentPassword, newPassword } }) =>
    changePassword(newPassword, { session: caller.session, currentPassword }),
  ),
);
