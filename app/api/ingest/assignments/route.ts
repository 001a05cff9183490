import { getAssignments } from '#contract/operations/prober.ts';
import { handle, resource } from '#server/http/http.ts';
import { assignmentsSince } from '#server/vantages/assignments.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getAssignments, ({ prober, query }) => assignmentsSince(prober, query.since ?? null)),
);
