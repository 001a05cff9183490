import { z } from 'zod';
import {
  ListedMeasurement,
  Measurement,
  MeasurementAnswers,
  MeasurementCreate,
  MeasurementReport,
  MeasurementShare,
  MeasurementTasks,
} from '../measurement.ts';
import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { PageQuery } from '../query.ts';

export const listMeasurements = {
  id: 'listMeasurements',
  method: 'get',
  path: '/api/v1/measurements',
  tag: 'measurements',
  summary: 'List the measurements of the last week, newest first',
  description:
    'For those who may create them: others may read a measurement whose id they know. At most the newest 1,000 are kept.',
  access: 'write',
  query: PageQuery,
  success: {
    status: 200,
    description: 'A page of measurements, without their answers',
    schema: pageOf(ListedMeasurement, 'MeasurementPage'),
  },
} as const satisfies Operation;

export const createMeasurement = {
  id: 'createMeasurement',
  method: 'post',
  path: '/api/v1/measurements',
  tag: 'measurements',
  summary: 'Probe a URL once from many vantages, now',
  description:
    'Probers take the tasks within a second; their answers are awaited for a minute. A vantage whose prober was not heard for a minute fails at once with the reason `prober_away`. The Results belong to no target: they are in no statistic, and are deleted after a week. Secrets of targets are not used. At most 200 vantages a measurement, and, unless the server is set otherwise, 10 measurements a minute for a key and 30 for a host. Loopback and private addresses are rejected unless the server allows them.',
  access: 'write',
  body: MeasurementCreate,
  success: {
    status: 202,
    description: 'The measurement, which has begun',
    schema: Measurement,
    location: '/api/v1/measurements/{id}',
  },
} as const satisfies Operation;

export const getMeasurement = {
  id: 'getMeasurement',
  method: 'get',
  path: '/api/v1/measurements/{id}',
  tag: 'measurements',
  summary: 'Read a measurement with the answers so far',
  description:
    'With `Accept: text/event-stream`, server-sent events: first `measurement` (a `Measurement`), then `answers` (a `MeasurementProgress`) whenever vantages have answered, last `end` (a `MeasurementProgress`, also with the vantages that did not answer), after which a client must close the stream. With `Last-Event-ID` the stream goes on after that event; answers of the second before it may come again.',
  access: 'read',
  params: ById,
  success: {
    status: 200,
    description: 'The measurement',
    schema: Measurement,
    other: { 'text/event-stream': z.string() },
  },
} as const satisfies Operation;

export const cancelMeasurement = {
  id: 'cancelMeasurement',
  method: 'delete',
  path: '/api/v1/measurements/{id}',
  tag: 'measurements',
  summary: 'Cancel a measurement',
  description:
    'Vantages that have not answered fail with the reason `cancelled`, and probers do not begin what waits for its turn; the answers so far stay.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const shareMeasurement = {
  id: 'shareMeasurement',
  method: 'post',
  path: '/api/v1/measurements/{id}/share',
  tag: 'measurements',
  summary: 'Make a link that shows a measurement without sign-in',
  description:
    'An earlier link stops working. The link leads to this one page alone, without secret parameters of URLs and without the names of vantages, and ends when the measurement is deleted.',
  access: 'admin',
  params: ById,
  success: { status: 201, description: 'The link', schema: MeasurementShare },
} as const satisfies Operation;

export const unshareMeasurement = {
  id: 'unshareMeasurement',
  method: 'delete',
  path: '/api/v1/measurements/{id}/share',
  tag: 'measurements',
  summary: 'Revoke the link of a measurement',
  access: 'admin',
  params: ById,
  success: gone,
} as const satisfies Operation;

export const getTasks = {
  id: 'getTasks',
  method: 'get',
  path: '/api/ingest/measurements',
  tag: 'prober',
  summary: 'Take the probes that measurements ask for now',
  description: 'Answered as soon as there are some, after 25 seconds at the latest. Each is given out once.',
  access: 'prober',
  success: { status: 200, description: 'Tasks, and measurements that were cancelled', schema: MeasurementTasks },
} as const satisfies Operation;

export const submitAnswers = {
  id: 'submitAnswers',
  method: 'post',
  path: '/api/ingest/measurements',
  tag: 'prober',
  summary: 'Submit Results of a measurement',
  description:
    'The first Result of each vantage is stored, also late ones, while the measurement is kept. Invalid ones are listed in `rejected`.',
  access: 'prober',
  body: MeasurementAnswers,
  success: { status: 200, description: 'The outcome', schema: MeasurementReport },
  problems: [404],
} as const satisfies Operation;
