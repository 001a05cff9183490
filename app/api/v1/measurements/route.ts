import { createMeasurement as create, listMeasurements as list } from '#contract/operations/measurements.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { createMeasurement, creatorOf } from '#server/measurements/measurements.ts';
import { listMeasurements } from '#server/measurements/read.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query, caller }) => listMeasurements(query, viewerOf(caller))),
  handle(create, ({ body, caller }) => createMeasurement(body, creatorOf(caller))),
);
