import { deleteDemo, getDemo } from '#contract/operations/system.ts';
import { demoState, removeDemo } from '#server/demo/demo.ts';
import { handle, resource } from '#server/http/http.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getDemo, () => demoState()),
  handle(deleteDemo, () => removeDemo()),
);
