import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '#cli/build.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import {
  authenticateKey,
  createKey,
  MOST_REMEMBERED,
  REMEMBERED_MS,
  rememberedKey,
  revokeKey,
} from '#server/access/keys.ts';
import { hashSecret } from '#server/access/secrets.ts';
import { closeDatabase, getPool, getPrisma } from '#server/database/database.ts';
import { prepareDatabase } from '#server/database/migrate.ts';
import manifest from '../../package.json' with { type: 'json' };
import { extent } from '../support/extent.ts';
import { insertTarget } from '../support/places.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

// What /metrics answers while its own PostgreSQL is there, hangs, and is gone.

let folder = '';
let postgres: EmbeddedPostgres;
let server: TestServer;
let key = '';
beforeAll(async () => {
  // Where it is not built yet this takes longer than any test may.
  await build('web application');
  folder = await mkdtemp(path.join(tmpdir(), 'roundtrip-scrape-'));
  postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => {} });
  process.env.DATABASE_URL = postgres.url;
  await prepareDatabase(postgres.url);
  await insertTarget();
  key = (await createKey({ name: 'prometheus', scope: 'read' })).key;
  server = await startTestServer({ databaseUrl: postgres.url, env: { LOG_LEVEL: 'fatal' } });
}, 600_000);
afterAll(async () => {
  await server?.stop();
  await closeDatabase();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function scrape(headers: Record<string, string> = {}) {
  const response = await fetch(`${server.baseUrl}/metrics`, { headers });
  const text = await response.text();
  const names = new Set([...text.matchAll(/^(\w+)(?:\{.*\})? /gm)].map(([, name]) => name));
  const figure = (name: string) => Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  return { status: response.status, text, names, figure };
}
const withKey = (secret: string) => scrape({ authorization: `Bearer ${secret}` });
/** Node's own come with what has happened in the process. */
const ours = (names: Set<string | undefined>) => [...names].filter((name) => name?.startsWith('roundtrip_')).sort();
const ALONE = new Set(['roundtrip_up', 'roundtrip_build_info']);

describe('a key that worked', () => {
  const bearer = (secret: string) => `Bearer ${secret}`;

  it('is remembered for a day, until it is revoked or refused', async () => {
    const [read, other] = [
      await createKey({ name: 'a', scope: 'read' }),
      await createKey({ name: 'b', scope: 'read' }),
    ];
    expect(rememberedKey(bearer(read.key))).toBeNull();
    for (const { key } of [read, other]) await authenticateKey(bearer(key));
    const now = Date.now();
    expect(rememberedKey(bearer(read.key), now)).toMatchObject({ name: 'a', scope: 'read' });
    expect(rememberedKey(bearer(read.key), now + REMEMBERED_MS)).toBeNull();
    expect(REMEMBERED_MS).toBe(86_400_000);
    await revokeKey(read.id);
    expect(rememberedKey(bearer(read.key), now)).toBeNull();
    // As another process would revoke it.
    await getPool().query('update api_key set revoked_at = now() where id = $1', [other.id]);
    expect(await authenticateKey(bearer(other.key))).toBeNull();
    expect(rememberedKey(bearer(other.key), now)).toBeNull();
  });

  it('takes the place of the one that was not used for longest, of 100', async () => {
    const secrets = Array.from({ length: MOST_REMEMBERED + 1 }, (_, n) => `rt_${n}`);
    await getPrisma().apiKey.createMany({
      data: secrets.map((secret) => ({
        ...{ id: uuid(), name: secret, scope: 'read', prefix: 'rt_' },
        ...{ keyHash: hashSecret(secret), lastUsedAt: new Date() },
      })),
    });
    for (const secret of secrets) await authenticateKey(bearer(secret));
    const known = secrets.filter((secret) => rememberedKey(bearer(secret)) !== null);
    expect(known).toEqual(secrets.slice(1));
    expect(known).toHaveLength(100);
  });
});

describe('/metrics', () => {
  it('gives anybody that it is up and its version, and readers all', async () => {
    const open = await scrape();
    expect([open.status, open.names]).toEqual([200, ALONE]);
    expect(open.text).toContain(`roundtrip_build_info{version="${manifest.version}"} 1\n`);
    await expect.poll(async () => (await withKey(key)).figure('roundtrip_database_up')).toBe(1);
    const full = await withKey(key);
    expect(full.figure('roundtrip_up')).toBe(1);
    expect(full.figure('roundtrip_targets_age_seconds')).toBeLessThan(5);
    expect(full.figure('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(full.names).toContain('roundtrip_incidents_open');
    expect((await withKey('rt_none')).status).toBe(401);
  });

  // A frozen server answers nothing, one that ended refuses the connection.
  it.each(extent(['is gone'], ['hangs', 'is gone']))(
    'says the same to known readers while the database %s',
    async (how) => {
      const before = await withKey(key);
      const unused = (await createKey({ name: 'not seen by the process', scope: 'read' })).key;
      const frozen = how === 'hangs' ? await processes() : [];
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
      if (how !== 'hangs') await postgres.stop();
      try {
        const [away, open, cookie, stranger] = await Promise.all([
          withKey(key),
          scrape(),
          scrape({ cookie: 'rt_session=rts_some-session' }),
          withKey(unused),
        ]);
        expect([away.status, away.figure('roundtrip_up'), away.figure('roundtrip_database_up')]).toEqual([200, 1, 0]);
        expect(ours(away.names)).toEqual(ours(before.names));
        expect(away.figure('roundtrip_targets_age_seconds')).toBeGreaterThan(0);
        expect(away.text).toContain(before.text.slice(before.text.indexOf('# HELP roundtrip_incidents_open')));
        for (const { status, names } of [open, cookie, stranger]) expect([status, names]).toEqual([200, ALONE]);
      } finally {
        for (const pid of frozen) process.kill(pid, 'SIGCONT');
      }
      if (how === 'hangs') await expect.poll(async () => (await withKey(key)).figure('roundtrip_database_up')).toBe(1);
    },
  );
});

/** The postmaster first, then its backends. */
async function processes(): Promise<number[]> {
  const file = path.join(postgres.location, 'cluster/postmaster.pid');
  const postmaster = Number((await readFile(file, 'utf8')).split('\n')[0]);
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  return [postmaster, ...children.trim().split(' ').map(Number)];
}
