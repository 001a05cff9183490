// Writes the types of the client (client/schema.ts) from the OpenAPI document. `npm test` and `npm run docs` do; nothing needs them to run.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { openApiDocument } from '#server/http/openapi.ts';

// openapi-typescript uses the compiler's interface for programs, which TypeScript 7 has no more: version 6 is installed beside it.
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? '@typescript/typescript6' : name, context),
});
const { astToString, default: typesOf } = await import('openapi-typescript');
// What has a default may be left out of a request.
const types = await typesOf(JSON.stringify(openApiDocument()), { defaultNonNullable: false });
writeFileSync(path.join(import.meta.dirname, '../client/schema.ts'), astToString(types));
