import { createMeasurement as create, listMeasurements as list } from '#contract/operations/measurements.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { createOnce, creatorOf } from '#server/measurements/measurements.ts';
import { listMeasurements } from '#server/measurements/read.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query, caller }) => listMeasurements(query, viewerOf(caller))),
  handle(create, async ({ body, headers, caller, answerHeaders }) => {
    const { measurement, replayed } = await createOnce(headers['Idempotency-Key'], body, creatorOf(caller));
    if (replayed) answerHeaders['idempotency-replayed'] = 'true';
    return measurement;
  }),
);
