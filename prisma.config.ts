import path from 'node:path';
import { defineConfig } from 'prisma/config';

const root = import.meta.dirname;

// Prisma would download a native engine from a host that closed networks don't reach. This one is in the checkout.
// Windows cannot spawn a shell script: there Prisma's own engine is used.
if (process.platform !== 'win32') {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ||= path.join(root, 'prisma/schema-engine/schema-engine');
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // `prisma generate` and `validate` read no database, yet demand a URL.
  datasource: { url: process.env.DATABASE_URL || 'postgresql://localhost:5432/roundtrip' },
});
