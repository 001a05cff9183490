import { createEnrolment as create } from '#contract/operations/vantages.ts';
import { authorise } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { createEnrolment } from '#server/vantages/enrolments.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(create, ({ body, caller, request }) => {
    if (body.mayHoldSecrets) authorise(caller, 'admin', request);
    return createEnrolment(body);
  }),
);
