import { z } from 'zod';
import { DemoState } from '../demo.ts';
import { Health, Readiness } from '../health.ts';
import { gone, type Operation } from '../operation.ts';

export const getDemo = {
  id: 'getDemo',
  method: 'get',
  path: '/api/v1/demo',
  tag: 'system',
  summary: 'Is the demo network there?',
  access: 'read',
  success: { status: 200, description: 'The state of the demo', schema: DemoState },
} as const satisfies Operation;

export const deleteDemo = {
  id: 'deleteDemo',
  method: 'delete',
  path: '/api/v1/demo',
  tag: 'system',
  summary: 'Remove the demo for good',
  description: 'Deletes its targets, vantages, results and rollups. It does not come back.',
  access: 'admin',
  success: gone,
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
  summary: 'Does the process serve?',
  access: 'public',
  success: { status: 200, description: 'It does', schema: Health },
} as const satisfies Operation;

export const getReady = {
  id: 'getReady',
  method: 'get',
  path: '/api/ready',
  tag: 'system',
  summary: 'Are database, migrations and jobs up?',
  access: 'public',
  success: { status: 200, description: 'They are', schema: Readiness },
  problems: [503],
} as const satisfies Operation;

export const getMetrics = {
  id: 'getMetrics',
  method: 'get',
  path: '/metrics',
  tag: 'system',
  summary: 'Metrics in the text format of Prometheus',
  description:
    'Anybody gets those of the process: memory, event loop, requests, ingested results. Whoever may read (a key with the scope `read`, or a public dashboard) also gets availability and TLS times of each target, and what each prober missed or spoilt, over the last hour.',
  access: 'public',
  success: { status: 200, description: 'The metrics', other: { 'text/plain': z.string() } },
} as const satisfies Operation;
