import { cancelMeasurement as cancel, getMeasurement as get } from '#contract/operations/measurements.ts';
import { viewerOf } from '#server/access/access.ts';
import { handle, resource } from '#server/http/http.ts';
import { eventStream } from '#server/measurements/events.ts';
import { cancelMeasurement } from '#server/measurements/measurements.ts';
import { getMeasurement } from '#server/measurements/read.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params, caller, request }) =>
    /\btext\/event-stream\b/i.test(request.headers.get('accept') ?? '')
      ? eventStream(params.id, viewerOf(caller), request)
      : getMeasurement(params.id, viewerOf(caller)),
  ),
  handle(cancel, ({ params }) => cancelMeasurement(params.id)),
);
