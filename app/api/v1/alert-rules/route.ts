import { createAlertRule as create, listAlertRules as list } from '#contract/operations/alert-rules.ts';
import { handle, resource } from '#server/http/http.ts';
import { createAlertRule, listAlertRules } from '#server/rules/rules.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(list, ({ query }) => listAlertRules(query)),
  handle(create, ({ body }) => createAlertRule(body)),
);
