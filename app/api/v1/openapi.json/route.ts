import { getOpenApi } from '#contract/operations/system.ts';
import { handle, resource } from '#server/http/route.ts';
import { openApiDocument } from '#server/openapi.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getOpenApi, () => Response.json(openApiDocument())),
);
