import { createEnrolment as create } from '#contract/operations/vantages.ts';
import { handle, resource } from '#server/http/http.ts';
import { createEnrolment } from '#server/vantages/enrolments.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(create, ({ body }) => createEnrolment(body)));
