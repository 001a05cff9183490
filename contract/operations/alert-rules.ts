import { z } from 'zod';
import { AlertRule, AlertRuleCreate, AlertRulePatch, RulePreview } from '../alert-rule.ts';
import { ById, gone, type Operation } from '../operation.ts';
import { pageOf } from '../problem.ts';
import { NamedQuery } from '../query.ts';

export const listAlertRules = {
  id: 'listAlertRules',
  method: 'get',
  path: '/api/v1/alert-rules',
  tag: 'alerting',
  summary: 'List the alert rules, oldest first',
  access: 'read',
  query: NamedQuery,
  success: { status: 200, description: 'A page of alert rules', schema: pageOf(AlertRule, 'AlertRulePage') },
} as const satisfies Operation;

export const createAlertRule = {
  id: 'createAlertRule',
  method: 'post',
  path: '/api/v1/alert-rules',
  tag: 'alerting',
  summary: 'Create an alert rule',
  description: 'Takes effect within a minute.',
  access: 'write',
  body: AlertRuleCreate,
  success: { status: 201, description: 'The rule', schema: AlertRule, location: '/api/v1/alert-rules/{id}' },
} as const satisfies Operation;

export const previewAlertRule = {
  id: 'previewAlertRule',
  method: 'post',
  path: '/api/v1/alert-rules/preview',
  tag: 'alerting',
  summary: 'What a rule would have done in the last week',
  description:
    'Nothing is stored. Threshold and down rules are replayed over rollups every ten minutes (windows under ten minutes: every minute of the last day), detector rules over the stored detections. `replay` is null for the other kinds.',
  access: 'write',
  body: AlertRuleCreate,
  success: {
    status: 200,
    description: 'The incidents the rule would have opened',
    schema: z.object({ replay: RulePreview.nullable() }).meta({ id: 'AlertRuleReplay' }),
  },
} as const satisfies Operation;

export const getAlertRule = {
  id: 'getAlertRule',
  method: 'get',
  path: '/api/v1/alert-rules/{id}',
  tag: 'alerting',
  summary: 'Read a rule',
  access: 'read',
  params: ById,
  success: { status: 200, description: 'The rule', schema: AlertRule },
} as const satisfies Operation;

export const updateAlertRule = {
  id: 'updateAlertRule',
  method: 'patch',
  path: '/api/v1/alert-rules/{id}',
  tag: 'alerting',
  summary: 'Change a rule',
  description: 'Omitted fields keep their values; `params` is replaced as a whole.',
  access: 'write',
  params: ById,
  body: AlertRulePatch,
  success: { status: 200, description: 'The updated rule', schema: AlertRule },
} as const satisfies Operation;

export const deleteAlertRule = {
  id: 'deleteAlertRule',
  method: 'delete',
  path: '/api/v1/alert-rules/{id}',
  tag: 'alerting',
  summary: 'Delete a rule',
  description: 'Its open incidents are resolved without notification.',
  access: 'write',
  params: ById,
  success: gone,
} as const satisfies Operation;
