import { getTasks, submitAnswers } from '#contract/operations/measurements.ts';
import { handle, resource } from '#server/http/http.ts';
import { storeAnswers, takeTasks } from '#server/measurements/tasks.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getTasks, ({ prober, request }) => takeTasks(prober, request.signal)),
  handle(submitAnswers, ({ prober, body }) => storeAnswers(prober, body)),
);
