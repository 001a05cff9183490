import { deleteKey } from '#contract/operations/access.ts';
import { handle, resource } from '#server/http/route.ts';
import { revokeKey } from '#server/keys.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(deleteKey, ({ params }) => revokeKey(params.id)),
);
