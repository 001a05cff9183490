import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAlone } from '#server/database/connection.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { migrate, pendingMigrations } from '#server/database/migrate.ts';
import { migrationNames, migrationsFolder, NEWEST_MIGRATION } from '#server/database/schema-version.ts';
import { loadCheckpoint } from '#server/detection/checkpoint.ts';
import { checkReady } from '#server/monitoring/health.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { isLong } from '../support/extent.ts';
import { storeIncident } from '../support/incident-of.ts';
import { onServer, withDatabase } from '../support/on-server.ts';
import { collect, freePort } from '../support/process.ts';
import { spawnRoundtrip } from '../support/stack.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

describe('migrations', () => {
  it('leave nothing pending on a migrated database, and running them again does nothing', async () => {
    expect(await pendingMigrations(database.url)).toEqual([]);
    expect(await migrate(database.url)).toEqual([]);
  });

  it('were applied in the order of the folder', async () => {
    const { rows } = await getPool().query<{ name: string }>(
      'select migration_name as name from _prisma_migrations order by started_at, migration_name',
    );
    expect(rows.map(({ name }) => name)).toEqual(migrationNames());
  });

  it('count as pending what the database does not know, and refuse one that was begun and did not end', async () => {
    await getPool().query('update _prisma_migrations set finished_at = null where migration_name = $1', [
      NEWEST_MIGRATION,
    ]);
    await expect(pendingMigrations(database.url)).rejects.toThrow(
      `its migration ${NEWEST_MIGRATION} was begun and did`,
    );
    await getPool().query('delete from _prisma_migrations where migration_name = $1', [NEWEST_MIGRATION]);
    expect(await pendingMigrations(database.url)).toEqual([NEWEST_MIGRATION]);
  });

  it('that fail are named, and leave the database as it was', async () => {
    // What it does has been done already.
    await getPool().query('delete from _prisma_migrations where migration_name = $1', [NEWEST_MIGRATION]);
    await expect(migrate(database.url)).rejects.toThrow(
      `the database could not be migrated: ${NEWEST_MIGRATION}: column "parts" of relation "detector_checkpoint" does not exist`,
    );
    expect(await pendingMigrations(database.url)).toEqual([NEWEST_MIGRATION]);
  });

  it.runIf(isLong)(
    'run once where several processes begin at the same time, with the checksums of Prisma’s own tools',
    async () => {
      const name = `roundtrip_migrations_${randomBytes(4).toString('hex')}`;
      const server = withDatabase(database.url, 'postgres');
      await onServer(server, `create database ${name}`);
      try {
        const url = withDatabase(database.url, name);
        const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(url)));
        expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([migrationNames(), [], [], []]);
        const client = await connectAlone(url);
        const { rows } = await client.query(
          'select migration_name as name, checksum, applied_steps_count as steps from _prisma_migrations',
        );
        await client.end();
        expect(rows).toEqual(
          migrationNames().map((migration) => {
            const text = readFileSync(path.join(migrationsFolder(), migration, 'migration.sql'));
            return { name: migration, checksum: createHash('sha256').update(text).digest('hex'), steps: 1 };
          }),
        );
      } finally {
        await onServer(server, `drop database ${name} with (force)`);
      }
    },
  );

  it('make the tables that the schema of Prisma’s client has, column by column', async () => {
    const { rows } = await getPool().query<{ name: string; is: string }>(
      `select relname || '.' || attname as name,
          typname || case when attnotnull and typcategory <> 'A' then '' else '?' end as is
        from pg_attribute join pg_class c on c.oid = attrelid join pg_type t on t.oid = atttypid
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and attnum > 0 and not attisdropped and relname <> '_prisma_migrations'
        order by name`,
    );
    const schema = columnsOf(readFileSync(path.resolve(import.meta.dirname, '../../prisma/schema.prisma'), 'utf8'));
    expect(schema).toEqual(Object.fromEntries(rows.map(({ name, is }) => [name, is])));
    expect(await getPrisma().target.count()).toBe(0);
  });
});

const TYPES: Record<string, string> = {
  String: 'text',
  Int: 'int4',
  BigInt: 'int8',
  Float: 'float8',
  Boolean: 'bool',
  Json: 'jsonb',
  Bytes: 'bytea',
};

/** Columns by their names as `table.column`: the type, and a question mark where it may be null, as a list always may. */
function columnsOf(schema: string): Record<string, string> {
  const columns: Record<string, string> = {};
  for (const [, body = ''] of schema.matchAll(/^model \w+ \{([\s\S]*?)^\}/gm)) {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1];
    for (const [, field, type = '', form = '', rest = ''] of body.matchAll(/^ +(\w+) +(\w+)(\[\]|\?)?(?: (.*))?$/gm)) {
      const given = /@db\.(\w+)/.exec(rest)?.[1]?.toLowerCase().replace('smallint', 'int2');
      const name = given ?? TYPES[type];
      // What has no type of its own is a relation.
      if (name === undefined) continue;
      const column = /@map\("(\w+)"\)/.exec(rest)?.[1] ?? field;
      columns[`${table}.${column}`] = `${form === '[]' ? '_' : ''}${name}${form === '' ? '' : '?'}`;
    }
  }
  return columns;
}

describe('a database of an earlier tree', () => {
  let earlier: TestDatabase;
  beforeAll(async () => {
    earlier = await testDatabase();
    // As it was left: the names of that tree, and other tables.
    await getPool().query(
      `update _prisma_migrations set migration_name = '20261121080000_init';
       insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('x', 'x', '20261202060000_counterfactual', now());
       alter table incident drop column counterfactual; alter table vantage add column former text`,
    );
  });
  afterAll(() => earlier.drop());

  /** Each table with its columns and the number of its rows. */
  async function contents(): Promise<unknown[]> {
    const { rows } = await getPool().query(
      `select relname, array_agg(attname order by attnum) as columns,
          query_to_xml(format('select * from %I', relname), false, true, '')::text as rows
        from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        group by relname order by relname`,
    );
    return rows;
  }

  it.each([
    ['migrate', ['migrate']],
    ['migrate --citus', ['migrate', '--citus']],
    ['setup', ['setup']],
    ['jobs', ['jobs']],
    ['start', ['start', '--no-demo']],
  ])('is refused by roundtrip %s with one sentence, and stays as it is', async (_name, args) => {
    const before = await contents();
    const child = spawnRoundtrip(args, {
      DATABASE_URL: earlier.url,
      PORT: String(await freePort()),
      ROUNDTRIP_SECRET: 'a secret of at least thirty-two characters',
    });
    const output = collect(child);
    const [status] = await once(child, 'close');
    const said = output()
      .split('\n')
      .filter((line) => line.startsWith('roundtrip:'));
    expect(said).toEqual([
      expect.stringMatching(
        /made by an earlier tree of Roundtrip .*20261121080000_init.* left as it is: set an empty database/,
      ),
    ]);
    expect(status).toBe(2);
    expect(await contents()).toEqual(before);
  });

  it('is not ready, and is not taken for one that lacks the newest migration alone', async () => {
    expect(await checkReady()).toMatchObject({ ready: false });
    await expect(migrate(earlier.url)).rejects.toThrow('earlier tree of Roundtrip');
  });
});

it('incidents and a past that an earlier version stored can be read', async () => {
  const own = await testDatabase();
  try {
    await storeIncident({ targetId: randomUUID(), vantage: { id: randomUUID() } });
    await getPool().query(`
      update incident set cells = (
        select jsonb_agg(cell - '{peakMs,resumedBefore,resumedAfter,quietSince}'::text[] || last order by last->>'carrier')
        from jsonb_array_elements(cells) cell, (values ('{}'::jsonb), ('{"carrier": "unicom"}')) more (last)
      );
      insert into setting (key, value, updated_at) values ('demo_past', '{"from": 1, "to": 2}', now());
      delete from _prisma_migrations where migration_name = '0010_whole_cells'`);
    expect(await migrate(own.url)).toEqual(['0010_whole_cells']);
    const incident = await getPrisma().incident.findFirstOrThrow();
    const given = { beforeMs: 50, quietSince: null, peakMs: null, resumedBefore: null, resumedAfter: null };
    expect(incident.cells).toMatchObject([
      { ...given, carrier: 'unicom' },
      { ...given, carrier: 'telecom' },
    ]);
    const { value } = await getPrisma().setting.findUniqueOrThrow({ where: { key: 'demo_past' } });
    expect(value).toEqual({ from: 1, to: 2, stored: true });
  } finally {
    await own.drop();
  }
});

it('a state of the detector that an earlier version stored is one of another version, where that one was', async () => {
  const own = await testDatabase();
  try {
    await getPool().query(`
      alter table detector_checkpoint add parts integer not null, add late bigint not null default 0;
      insert into detector_checkpoint (seq, part, parts, "to", state)
        values (7, 0, 1, 700, 'whole'), (9, 0, 2, 900, 'a'), (9, 1, 2, 900, 'difference');
      delete from _prisma_migrations where migration_name = '0011_whole_checkpoints'`);
    expect(await migrate(own.url)).toEqual(['0011_whole_checkpoints']);
    expect(await loadCheckpoint()).toMatchObject({ seq: 9, to: 900, hasCurrentVersion: false });
  } finally {
    await own.drop();
  }
});
