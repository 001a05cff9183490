import { enrolProber } from '#contract/operations/prober.ts';
import { exchangeToken } from '#server/enrolments.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(enrolProber, ({ body }) => exchangeToken(body)),
);
