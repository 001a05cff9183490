import { changePassword as change } from '#contract/operations/access.ts';
import { changePassword } from '#server/access/session.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(change, ({ caller, body: { currentPassword, newPassword } }) =>
    changePassword(newPassword, { session: caller.session, currentPassword }),
  ),
);
