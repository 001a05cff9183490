import { createEnrolment as create } from '#contract/operations/vantages.ts';
import { createEnrolment } from '#server/enrolments.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(handle(create, ({ body }) => createEnrolment(body)));
