import { shareComparison as share, unshareComparison as unshare } from '#contract/operations/comparisons.ts';
import { shareComparison, unshareComparison } from '#server/comparisons/share.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(share, ({ params }) => shareComparison(params.id)),
  handle(unshare, ({ params }) => unshareComparison(params.id)),
);
