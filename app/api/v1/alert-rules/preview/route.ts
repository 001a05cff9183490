import { previewAlertRule } from '#contract/operations/alert-rules.ts';
import { handle, resource } from '#server/http/http.ts';
import { replayRule } from '#server/rules/replay.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(previewAlertRule, async ({ body }) => ({ replay: await replayRule(body, new Date()) })),
);
