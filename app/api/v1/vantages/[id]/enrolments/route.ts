import { renewEnrolment as renew } from '#contract/operations/vantages.ts';
import { authorise } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { renewEnrolment } from '#server/vantages/enrolments.ts';
import { getVantage } from '#server/vantages/vantages.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(renew, async ({ params, body, caller, request }) => {
    // Whoever has the token of a marked vantage is sent the secrets of targets.
    if ((await getVantage(params.id)).mayHoldSecrets) authorise(caller, 'admin', request);
    return renewEnrolment(params.id, body);
  }),
);
