import { getHealth } from '#contract/operations/system.ts';
import { handle, resource } from '#server/http/http.ts';
import manifest from '../../../package.json' with { type: 'json' };

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(getHealth, () => ({ status: 'ok' as const, version: manifest.version })),
);
