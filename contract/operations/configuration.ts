import { z } from 'zod';
import { Configuration, ConfigurationExport, ConfigurationPlan, ConfigurationQuery } from '../configuration.ts';
import type { Operation } from '../operation.ts';

export const getConfiguration = {
  id: 'getConfiguration',
  method: 'get',
  path: '/api/v1/configuration',
  tag: 'system',
  summary: 'Export targets, alert rules and webhooks as one document',
  description:
    'What is as by default is left out, and so is the demo. Secrets are `***`: applied again, they stay as they are.',
  access: 'write',
  success: { status: 200, description: 'The document', schema: ConfigurationExport },
} as const satisfies Operation;

export const getConfigurationSchema = {
  id: 'getConfigurationSchema',
  method: 'get',
  path: '/api/v1/configuration/schema',
  tag: 'system',
  summary: 'The JSON Schema of the document, for editors',
  description: 'A file names it in its first line: `# yaml-language-server: $schema=…/api/v1/configuration/schema`.',
  access: 'public',
  success: { status: 200, description: 'JSON Schema, draft 7', schema: z.looseObject({ $schema: z.string() }) },
} as const satisfies Operation;

export const putConfiguration = {
  id: 'putConfiguration',
  method: 'put',
  path: '/api/v1/configuration',
  tag: 'system',
  summary: 'Make targets, alert rules and webhooks what a document says',
  description:
    'Names are the keys: what has none of that name is created, what differs is changed, and what is as described stays untouched. All of it is done in one transaction, or nothing. What it names is marked as `managed`, unless the query says otherwise.',
  access: 'write',
  query: ConfigurationQuery,
  body: Configuration,
  maxBytes: 8 * 1024 * 1024,
  success: { status: 200, description: 'What was done, or with `dryRun` would be', schema: ConfigurationPlan },
} as const satisfies Operation;
