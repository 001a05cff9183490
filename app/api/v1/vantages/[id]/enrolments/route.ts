import { renewEnrolment as renew } from '#contract/operations/vantages.ts';
import { handle, resource } from '#server/http/http.ts';
import { renewEnrolment } from '#server/vantages/enrolments.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(renew, ({ params, body }) => renewEnrolment(params.id, body)),
);
