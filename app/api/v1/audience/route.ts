import { getAudience, updateAudience } from '#contract/operations/system.ts';
import { changeAudience, readAudience } from '#server/advice/audience.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getAudience, () => readAudience()),
  handle(updateAudience, ({ body }) => changeAudience(body)),
);
