import { deleteKey } from '#contract/operations/access.ts';
import { revokeKey } from '#server/access/keys.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(deleteKey, ({ params }) => revokeKey(params.id)),
);
