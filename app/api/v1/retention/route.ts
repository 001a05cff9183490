import { getRetention, updateRetention } from '#contract/operations/system.ts';
import { readRetention } from '#server/database/disk.ts';
import { changeRetention } from '#server/database/retention.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getRetention, () => readRetention()),
  handle(updateRetention, async ({ body }) => {
    await changeRetention(body);
    return await readRetention();
  }),
);
