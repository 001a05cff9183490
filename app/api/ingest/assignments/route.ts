import { getAssignments } from '#contract/operations/prober.ts';
import { assignmentsSince } from '#server/assignments.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getAssignments, ({ prober, query }) => assignmentsSince(prober, query.since ?? null)),
);
