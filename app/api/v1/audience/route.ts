import { getAudience, resetAudience as reset, updateAudience } from '#contract/operations/system.ts';
import { handle, resource } from '#server/http/http.ts';
import { changeAudience, readAudience, resetAudience } from '#server/vantages/audience.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getAudience, () => readAudience()),
  handle(updateAudience, ({ body }) => changeAudience(body)),
  handle(reset, () => resetAudience()),
);
