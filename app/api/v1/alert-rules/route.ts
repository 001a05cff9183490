import { createAlertRule as create, listAlertRules as list } from '#contract/operations/alert-rules.ts';
import { createAlertRule, listAlertRules } from '#server/alert-rules.ts';
import { handle, resource } from '#server/http/route.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query }) => listAlertRules(query)),
  handle(create, ({ body }) => createAlertRule(body)),
);
