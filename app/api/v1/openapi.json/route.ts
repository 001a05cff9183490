import { getOpenApi } from '#contract/operations/system.ts';
import { handle, resource } from '#server/http/http.ts';
import { openApiDocument } from '#server/http/openapi.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getOpenApi, () => Response.json(openApiDocument())),
);
