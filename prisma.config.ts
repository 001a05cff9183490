import { defineConfig } from 'prisma/config';

// Prisma's command would first download an engine, which `generate` does not start, from a host that closed networks don't reach. Any
// program in its place will do.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ||= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  // `generate` reads no database, yet demands a URL.
  datasource: { url: process.env.DATABASE_URL || 'postgresql://localhost:5432/roundtrip' },
});
