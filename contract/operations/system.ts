import { z } from 'zod';
import { Audience } from '../audience.ts';
import { DemoState } from '../demo.ts';
import { Health, Readiness, ReadinessQuery } from '../health.ts';
import { gone, type Operation } from '../operation.ts';
import { Retention, RetentionPatch } from '../retention.ts';
import { ProbeMetricsQuery } from '../target.ts';

export const getDemo = {
  id: 'getDemo',
  method: 'get',
  path: '/api/v1/demo',
  tag: 'system',
  summary: 'Read the state of the demo',
  access: 'read',
  success: { status: 200, description: 'The state of the demo', schema: DemoState },
} as const satisfies Operation;

export const deleteDemo = {
  id: 'deleteDemo',
  method: 'delete',
  path: '/api/v1/demo',
  tag: 'system',
  summary: 'Remove the demo permanently',
  description: 'Deletes its targets, vantages, results and rollups. This cannot be undone.',
  access: 'admin',
  success: gone,
} as const satisfies Operation;

const retention = { status: 200, description: 'Every class of data', schema: Retention } as const;

export const getRetention = {
  id: 'getRetention',
  method: 'get',
  path: '/api/v1/retention',
  tag: 'system',
  summary: 'Read how long each class of data is kept, and what it takes on disk',
  access: 'admin',
  success: retention,
} as const satisfies Operation;

export const updateRetention = {
  id: 'updateRetention',
  method: 'patch',
  path: '/api/v1/retention',
  tag: 'system',
  summary: 'Change how long classes of data are kept',
  description:
    'What is older than a shorter length is deleted within the hour, for good. A class that an environment variable fixes is refused.',
  access: 'admin',
  body: RetentionPatch,
  success: retention,
} as const satisfies Operation;

const audience = { status: 200, description: 'The weights', schema: Audience } as const;

export const getAudience = {
  id: 'getAudience',
  method: 'get',
  path: '/api/v1/audience',
  tag: 'system',
  summary: 'Read how the users are spread over regions and carriers',
  description: 'Until it is changed, in China as its inhabitants and the customers of its carriers are.',
  access: 'read',
  success: audience,
} as const satisfies Operation;

export const updateAudience = {
  id: 'updateAudience',
  method: 'patch',
  path: '/api/v1/audience',
  tag: 'system',
  summary: 'Change how the users are spread over regions and carriers',
  description: 'Replaces both lists; a list that is left out is empty. What is not named has the weight 1.',
  access: 'admin',
  body: Audience,
  success: audience,
} as const satisfies Operation;

export const resetAudience = {
  id: 'resetAudience',
  method: 'delete',
  path: '/api/v1/audience',
  tag: 'system',
  summary: 'Go back to the default spread of users',
  access: 'admin',
  success: audience,
} as const satisfies Operation;

export const getOpenApi = {
  id: 'getOpenApi',
  method: 'get',
  path: '/api/v1/openapi.json',
  tag: 'system',
  summary: 'This document',
  access: 'public',
  success: { status: 200, description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) },
} as const satisfies Operation;

export const getHealth = {
  id: 'getHealth',
  method: 'get',
  path: '/api/health',
  tag: 'system',
  summary: 'Check that the process serves requests',
  access: 'public',
  success: { status: 200, description: 'It serves requests', schema: Health },
} as const satisfies Operation;

export const getReady = {
  id: 'getReady',
  method: 'get',
  path: '/api/ready',
  tag: 'system',
  summary: 'Check that database, migrations and jobs are up',
  access: 'public',
  query: ReadinessQuery,
  success: { status: 200, description: 'Ready', schema: Readiness },
  problems: [503],
} as const satisfies Operation;

export const getMetrics = {
  id: 'getMetrics',
  method: 'get',
  path: '/metrics',
  tag: 'system',
  summary: 'Metrics in the Prometheus text format',
  description:
    'Without authentication `roundtrip_up` and `roundtrip_build_info{version}` alone. With read access (a key with the scope `read`, or a public dashboard) the process (memory, event loop, requests, ingested results), `roundtrip_database_up` and, over the last hour, availability and TLS times of each target and the missed and delayed runs of each prober, how far rollups, detection and messages are behind, when each vantage was heard last, and when the certificate of each target ends. While the database is away the figures of targets are the last ones read, `roundtrip_targets_age_seconds` old; a key that worked within a day is accepted, any other is anonymous.',
  access: 'public',
  success: { status: 200, description: 'The metrics', other: { 'text/plain': z.string() } },
} as const satisfies Operation;

export const getProbeMetrics = {
  id: 'getProbeMetrics',
  method: 'get',
  path: '/metrics/probes',
  tag: 'system',
  summary: 'Metrics of each target and vantage in the Prometheus text format',
  description:
    'The newest result of each target that is not paused at each vantage that probes it, of the last three periods, under the names of blackbox_exporter: `probe_success`, `probe_duration_seconds`, `probe_http_duration_seconds{phase}` (`resolve`, `connect`, `tls`, `processing`, `transfer`), `probe_dns_lookup_time_seconds`, `probe_http_status_code`, `probe_ssl_earliest_cert_expiry`, `probe_tls_version_info{version}`; `roundtrip_probe_round_trips` and `roundtrip_probe_started_timestamp_seconds`; and, of all results that this web process has stored, the histograms `roundtrip_probe_tls_seconds` and `roundtrip_probe_first_byte_seconds`. Labels: `target` (its name), `region`, `carrier`, `vantage`; of namesakes also `target_id`, `vantage_id`. More than 5,000 pairs of a target and a vantage are refused: ask for a part by `target` or `tag`.',
  access: 'read',
  query: ProbeMetricsQuery,
  success: { status: 200, description: 'The metrics', other: { 'text/plain': z.string() } },
  problems: [404, 429],
} as const satisfies Operation;
