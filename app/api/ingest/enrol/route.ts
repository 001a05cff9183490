import { enrolProber } from '#contract/operations/prober.ts';
import { handle, resource } from '#server/http/http.ts';
import { exchangeToken } from '#server/vantages/enrolments.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(enrolProber, ({ body }) => exchangeToken(body)),
);
