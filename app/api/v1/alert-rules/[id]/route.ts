import {
  getAlertRule as get,
  deleteAlertRule as remove,
  updateAlertRule as update,
} from '#contract/operations/alert-rules.ts';
import { handle, resource } from '#server/http/http.ts';
import { deleteAlertRule, getAlertRule, updateAlertRule } from '#server/rules/rules.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, ({ params }) => getAlertRule(params.id)),
  handle(update, ({ params, body }) => updateAlertRule(params.id, body)),
  handle(remove, ({ params }) => deleteAlertRule(params.id)),
);
