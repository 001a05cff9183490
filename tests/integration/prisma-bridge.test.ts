import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { isLong } from '../support/extent.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

const schema = `
generator client {
  provider            = "prisma-client"
  output              = "./generated"
  importFileExtension = "ts"
  moduleFormat        = "esm"
  runtime             = "nodejs"
}
datasource db {
  provider = "postgresql"
}
model Target {
  id      Int      @id @default(autoincrement())
  name    String   @unique
  results Result[]
}
model Result {
  targetId  Int
  startedAt DateTime @db.Timestamptz(3)
  id        String   @db.Uuid
  total     Float?   @db.Real
  target    Target   @relation(fields: [targetId], references: [id])

  @@id([targetId, startedAt, id])
  @@index([startedAt], type: Brin)
}
`;

// Everything Prisma's schema language cannot say: partitions, a function with semicolons in it, a view.
const beyondPrisma = `
ALTER TABLE "Result" DROP CONSTRAINT "Result_targetId_fkey";
ALTER TABLE "Result" RENAME TO "ResultPlain";
DROP TABLE "ResultPlain";
CREATE TABLE "Result" (
  "targetId" INTEGER NOT NULL,
  "startedAt" TIMESTAMPTZ(3) NOT NULL,
  "id" UUID NOT NULL,
  "total" REAL,
  CONSTRAINT "Result_pkey" PRIMARY KEY ("targetId", "startedAt", "id")
) PARTITION BY RANGE ("startedAt");
CREATE INDEX "Result_startedAt_idx" ON "Result" USING BRIN ("startedAt");
ALTER TABLE "Result" ADD CONSTRAINT "Result_targetId_fkey"
  FOREIGN KEY ("targetId") REFERENCES "Target"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE FUNCTION ensure_partition(day date) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  name text := 'Result_' || to_char(day, 'YYYYMMDD');
BEGIN
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF "Result" FOR VALUES FROM (%L) TO (%L)', name, day, day + 1);
  RETURN name;
END;
$$;
CREATE VIEW slow_results AS SELECT * FROM "Result" WHERE "total" > 100;
SELECT ensure_partition('2026-11-21');
`;

let project: string;
let server: EmbeddedPostgres;

/** Runs Prisma's CLI in the project; rejects with its output when it fails. `url` null: no database. */
async function prisma(args: string[], url: string | null = server.url): Promise<string> {
  const { DATABASE_URL: _, PRISMA_SCHEMA_ENGINE_BINARY: __, ...environment } = process.env;
  const env = { ...environment, ...(url === null ? {} : { DATABASE_URL: url }), CI: '1', NO_COLOR: '1' };
  const cli = path.join(root, 'node_modules/prisma/build/index.js');
  const { stdout, stderr } = await run(process.execPath, [cli, ...args], { cwd: project, env });
  return stdout + stderr;
}

async function writeMigration(name: string, sql: string): Promise<void> {
  await mkdir(path.join(project, 'prisma/migrations', name));
  await writeFile(path.join(project, 'prisma/migrations', name, 'migration.sql'), sql);
}

// In `npm test` the bridge makes the database of every other test.
describe.runIf(isLong)('the Prisma schema engine bridge', () => {
  beforeAll(async () => {
    project = await mkdtemp(path.join(tmpdir(), 'roundtrip-prisma-'));
    await chmod(project, 0o711);
    server = await startEmbeddedPostgres({ dataDir: path.join(project, 'data'), log: () => {} });
    await mkdir(path.join(project, 'prisma/migrations'), { recursive: true });
    await symlink(path.join(root, 'node_modules'), path.join(project, 'node_modules'));
    await symlink(path.join(root, 'prisma/schema-engine'), path.join(project, 'prisma/schema-engine'));
    await copyFile(path.join(root, 'prisma.config.ts'), path.join(project, 'prisma.config.ts'));
    await writeFile(path.join(project, 'package.json'), '{ "type": "module" }\n');
    await writeFile(path.join(project, 'prisma/schema.prisma'), schema);
    await writeFile(path.join(project, 'prisma/migrations/migration_lock.toml'), 'provider = "postgresql"\n');
  });

  afterAll(async () => {
    await server?.stop();
    await rm(project, { recursive: true, force: true });
  });

  test('generates the client and writes a first migration without a database', async () => {
    expect(await prisma(['generate'], null)).toMatch(/Generated Prisma Client/);
    expect(await readFile(path.join(project, 'prisma/generated/client.ts'), 'utf8')).toMatch(/PrismaClient/);
    const first = 'prisma/migrations/20260101000000_first';
    await mkdir(path.join(project, first));
    const target = ['--to-schema', 'prisma/schema.prisma', '--script', '--output', `${first}/migration.sql`];
    await prisma(['migrate', 'diff', '--from-empty', ...target], null);
    expect(await readFile(path.join(project, first, 'migration.sql'), 'utf8')).toMatch(/CREATE TABLE "Result"/);
  });

  test('deploys partitions and function bodies whole, and reports the status', async () => {
    await writeMigration('20260102000000_beyond', beyondPrisma);
    await expect(prisma(['migrate', 'status'])).rejects.toMatchObject({
      stdout: expect.stringMatching(/not yet been/),
    });
    expect(await prisma(['migrate', 'deploy'])).toMatch(/successfully applied/);
    expect(await prisma(['migrate', 'status'])).toMatch(/up to date/);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(`select ensure_partition('2026-11-22') as name`);
    await client.end();
    expect(rows).toEqual([{ name: 'Result_20261122' }]);
  });

  test('finds no drift between schema, migrations and a partitioned database', async () => {
    const toSchema = ['--to-schema', 'prisma/schema.prisma', '--exit-code'];
    const fromDatabase = prisma(['migrate', 'diff', '--from-config-datasource', ...toSchema]);
    const fromMigrations = prisma(['migrate', 'diff', '--from-migrations', 'prisma/migrations', ...toSchema]);
    expect(await fromDatabase).toMatch(/No difference/);
    expect(await fromMigrations).toMatch(/No difference/);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(`select datname from pg_database where datname like '%shadow%'`);
    await client.end();
    expect(rows).toEqual([]);
  });

  test('fails, and says why, when a migration is wrong or the server is away', async () => {
    await writeMigration('20260103000000_wrong', 'SELECT no_such_function();');
    const deploy = prisma(['migrate', 'deploy']);
    await expect(deploy).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/no_such_function/) });
    await prisma(['migrate', 'resolve', '--rolled-back', '20260103000000_wrong']);
    await rm(path.join(project, 'prisma/migrations/20260103000000_wrong'), { recursive: true });
    const away = prisma(['migrate', 'status'], 'postgresql://nobody:none@127.0.0.1:1/none');
    await expect(away).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/P1001/) });
  });

  test('makes a missing database and brings it to the schema', async () => {
    const url = server.url.replace(/\/roundtrip$/, '/fresh');
    expect(await prisma(['migrate', 'deploy'], url)).toMatch(/fresh created/);
    expect(await prisma(['db', 'push'], url)).toMatch(/already in sync/);
  });
});
