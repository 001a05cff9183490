import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '#cli/dist.mjs';
import type { Target } from '#contract/target.ts';
import type { Enrolment } from '#contract/vantage.ts';
import { writeBackup } from '#server/database/backup.ts';
import {
  type Entry,
  jsonBytes,
  MAX_ENTRY_BYTES,
  type Manifest,
  type RowCounts,
  readEntries,
  writeEntries,
} from '#server/database/backup-file.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { migrate } from '#server/database/migrate.ts';
import { restoreBackup } from '#server/database/restore.ts';
import { migrationNames } from '#server/database/schema-version.ts';
import { insertBatch } from '#server/results/insert.ts';
import { drainRollups } from '#server/rollups/rollups.ts';
import { type ApiUnderTest, startApi } from '../support/api.ts';
import { onNodes } from '../support/citus/cluster.ts';
import { extent, isLong } from '../support/extent.ts';
import { prepareFolder } from '../support/folder.ts';
import { onServer, withDatabase } from '../support/on-server.ts';
import { asker } from '../support/openapi.ts';
import { collect } from '../support/process.ts';
import { makeResult } from '../support/results.ts';
import { startTestServer } from '../support/server.ts';

let api: ApiUnderTest;
let source: string;
let file: string;
/** Asked before and after. */
const paths: string[] = [];
const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const databases: string[] = [];

const folder = prepareFolder('backup');
beforeAll(async () => {
  file = path.join(folder, 'roundtrip.backup');
  api = await startApi();
  source = process.env.DATABASE_URL ?? '';
  const target = (await api.ask('POST', '/api/v1/targets', { body: { url: 'https://shop.example.org/' } }))
    .json as Target;
  const place = { name: 'Guangdong', country: 'CN', region: 'CN-GD', carrier: 'telecom' };
  const { vantage } = (await api.ask('POST', '/api/v1/enrolments', { body: place })).json as Enrolment;
  const results = Array.from({ length: 130 }, (_, n) =>
    makeResult({ targetId: target.id, vantage, startedAt: hour - 26 * 3_600_000 + n * 600_000, tls: 20 + n / 7 }),
  );
  await insertBatch(results, { strings: 10_000, certificates: 100 });
  await drainRollups({ settled: true });
  await api.ask('POST', '/api/v1/markers', { body: { title: 'deploy «4.2» 部署', at: new Date(hour).toISOString() } });
  await api.ask('POST', '/api/v1/webhooks', {
    body: { name: 'all', url: 'https://hooks.example.org/x', format: 'slack' },
  });
  await api.ask('POST', '/api/v1/silences', {
    body: { startsAt: new Date(hour).toISOString(), endsAt: new Date(hour + 3_600_000).toISOString(), comment: 'x' },
  });
  const range = `target=${target.id}&from=${new Date(hour - 30 * 3_600_000).toISOString()}&to=${new Date(hour).toISOString()}`;
  paths.push(
    ...['targets', `targets/${target.id}`, 'vantages', 'alert-rules', 'webhooks', 'silences', 'incidents', 'keys'].map(
      (name) => `/api/v1/${name}`,
    ),
    `/api/v1/results?${range}&limit=1000`,
    `/api/v1/results/${results[5]?.id}`,
    `/api/v1/series?${range}&metric=tls&stat=p95&step=3600`,
    `/api/v1/matrix?${range}&metric=tls&stat=p50`,
    `/api/v1/markers?from=${new Date(hour - 1).toISOString()}&to=${new Date(hour + 1).toISOString()}`,
  );
});
afterAll(async () => {
  await api.stop();
  for (const name of databases)
    await onNodes(withDatabase(source, 'postgres'), `drop database if exists ${name} with (force)`);
});

async function emptyDatabase(): Promise<string> {
  const name = `roundtrip_test_${randomBytes(6).toString('hex')}`;
  databases.push(name);
  await onServer(withDatabase(source, 'postgres'), `create database ${name}`);
  return withDatabase(source, name);
}

/** The command as it is typed; what it prints. */
async function roundtrip(url: string, ...args: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [path.join(ROOT, 'cli/main.ts'), ...args], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  await once(child, 'close');
  return { status: child.exitCode, output: output() };
}

const answers = async (baseUrl: string) => {
  const ask = asker(baseUrl, api.keys.admin);
  const all: [string, number, unknown][] = [];
  for (const each of paths) {
    const { status, json } = await ask('GET', each);
    all.push([each, status, json]);
  }
  return all;
};

const streamOf = (bytes: Buffer) => new PassThrough().end(bytes);

/** The backup with another manifest, other entries in front of its rows, and other counts. */
async function rewritten(
  change: (manifest: Manifest, counts: RowCounts) => void,
  front: readonly Entry[] = [],
): Promise<Buffer> {
  const entries: Entry[] = [];
  for await (const entry of readEntries(streamOf(await readFile(file)))) entries.push(entry);
  const [manifest, counts] = [entries[0], entries.at(-1)].map((entry) => JSON.parse(String(entry?.[1])));
  change(manifest, counts);
  return await packed([
    ['manifest.json', jsonBytes(manifest)],
    ...front,
    ...entries.slice(1, -1),
    ['counts.json', jsonBytes(counts)],
  ]);
}

async function packed(entries: Entry[]): Promise<Buffer> {
  const to = new PassThrough();
  const bytes = to.toArray();
  await writeEntries(
    to,
    (async function* () {
      yield* entries;
    })(),
  );
  to.end();
  return Buffer.concat((await bytes) as Buffer[]);
}

async function backupOf(url: string): Promise<[bytes: Buffer, counts: RowCounts]> {
  const to = new PassThrough();
  const bytes = to.toArray();
  const counts = await writeBackup(url, to).finally(() => to.end());
  return [Buffer.concat((await bytes) as Buffer[]), counts];
}

/** Rows of one statement, on a connection of its own. */
async function rowsOf<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const tablesOf = async (url: string) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select from pg_tables where schemaname = 'public'`);
  await client.end();
  return rows.length;
};

describe('a backup that is restored', () => {
  it('gives the same answers, and takes in what comes after', async () => {
    const before = await answers(api.server.baseUrl);
    expect(before.map(([, status]) => status)).toEqual(paths.map(() => 200));
    expect(await roundtrip(source, 'backup', file)).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^\d+ rows in \d+ tables, 130 results among them\n$/),
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const url = await emptyDatabase();
    expect(await roundtrip(url, 'restore', file)).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^restored the backup of \S+: \d+ rows in \d+ tables, 130 results among them\n$/),
    });
    const server = await startTestServer({ databaseUrl: url });
    try {
      expect(await answers(server.baseUrl)).toEqual(before);
      const made = await asker(server.baseUrl, api.keys.admin)('POST', '/api/v1/targets', {
        body: { url: 'https://new.example.org/' },
      });
      expect(made.status).toBe(201);
      // Numbers go on where they were: of vantages, and of strings that no result had.
      const place = { name: 'Hunan', country: 'CN', region: 'CN-HN', carrier: 'telecom' };
      const enrolled = await asker(server.baseUrl, api.keys.admin)('POST', '/api/v1/enrolments', { body: place });
      expect(enrolled.status).toBe(201);
      await closeDatabase();
      process.env.DATABASE_URL = url;
      const { vantage } = enrolled.json as Enrolment;
      const result = makeResult({ targetId: (made.json as Target).id, vantage, startedAt: hour });
      const { fresh } = await insertBatch([{ ...result, url: 'https://new.example.org/' }], {
        strings: 10,
        certificates: 1,
      });
      expect(fresh).toHaveLength(1);
    } finally {
      await server.stop();
      await closeDatabase();
      process.env.DATABASE_URL = source;
    }
  });

  it.runIf(isLong)('is of one instant, also while results come in', async () => {
    const { rows: held } = await getPool().query<{ n: number }>('select count(*)::int as n from result');
    const to = new PassThrough();
    const bytes = to.toArray();
    const [counts] = await Promise.all([writeBackup(source, to).finally(() => to.end()), getPool().query('select 1')]);
    expect(counts.result).toBe(held[0]?.n);
    const url = await emptyDatabase();
    const restored = await restoreBackup(url, streamOf(Buffer.concat((await bytes) as Buffer[])));
    expect(restored.counts).toEqual(counts);
  });

  it.runIf(isLong)('may be of an earlier version: the database is brought up to this one', async () => {
    const earlier = await emptyDatabase();
    await migrate(earlier, migrationNames()[0]);
    await onServer(earlier, `update alert_rule set name = 'renamed'`);
    const [bytes] = await backupOf(earlier);
    const url = await emptyDatabase();
    await restoreBackup(url, streamOf(bytes));
    const applied = await rowsOf(url, 'select migration_name as name from _prisma_migrations order by started_at');
    expect(applied).toEqual(migrationNames().map((name) => ({ name })));
    expect(await rowsOf(url, `select count(*)::int as n from alert_rule where name = 'renamed'`)).toEqual([{ n: 5 }]);
    expect(await rowsOf(url, 'select from measurement')).toEqual([]);
  });
});

describe('a backup leaves out', () => {
  it.runIf(isLong)('partitions that are staged or detached, and tables of others', async () => {
    const url = await emptyDatabase();
    const { counts } = await restoreBackup(url, file);
    await onServer(
      url,
      `create table result_block_p20200102 (like result_block including all);
       create table sealing_p20200103 (number int); insert into sealing_p20200103 values (1);
       create table others (id serial primary key, named text); insert into others (named) values ('x')`,
    );
    const [bytes, again] = await backupOf(url);
    expect(again).toEqual(counts);
    expect(again).not.toHaveProperty('others');
    const to = await emptyDatabase();
    expect((await restoreBackup(to, streamOf(bytes))).counts).toEqual(counts);
    const held = await rowsOf(to, `select from pg_class where relname ~ '^(others|sealing|result_block_p20200102)'`);
    expect(held).toEqual([]);
  });

  // On a cluster nothing is sealed.
  it.skipIf(!isLong || process.env.ROUNDTRIP_TEST_NODES)(
    'nothing of a day that is sealed while it begins',
    async () => {
      const url = await emptyDatabase();
      const { counts } = await restoreBackup(url, file);
      const sealing = new pg.Client({ connectionString: url });
      await sealing.connect();
      await sealing.query('begin');
      const { rows } = await sealing.query<{ name: string; n: number }>(
        'select tableoid::regclass::text as name, count(*)::int as n from result group by 1 order by 1 limit 1',
      );
      const [day] = rows;
      await sealing.query(`truncate ${day?.name}`);
      // What stands in for the rows is stored in the same transaction: both are seen, or neither.
      await sealing.query(
        `insert into dictionary (hash, value) select sha256(('sealed ' || n)::bytea), 'sealed ' || n from generate_series(1, ${day?.n}) n`,
      );
      const backup = backupOf(url);
      await vi.waitFor(async () => {
        const { rows: waiting } = await getPool().query(
          `select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`,
          [new URL(url).pathname.slice(1)],
        );
        expect(waiting).toHaveLength(1);
      }, 60_000);
      await sealing.query('commit');
      await sealing.end();
      const [, after] = await backup;
      expect(day?.n).toBeGreaterThan(0);
      expect(after.result).toBe((counts.result ?? 0) - (day?.n ?? 0));
      expect(after.dictionary).toBe((counts.dictionary ?? 0) + (day?.n ?? 0));
    },
  );
});

describe('a restore that fails', () => {
  it.runIf(isLong)(
    'leaves what was to be replaced as it was, where the backup is cut, damaged or has tables of others',
    async () => {
      const url = await emptyDatabase();
      await restoreBackup(url, file);
      await onServer(url, `update marker set title = 'as it was'`);
      const whole = await readFile(file);
      const flipped = (at: number) => Buffer.from(whole.map((byte, n) => (n === at ? byte ^ 1 : byte)));
      const others = (manifest: Manifest) => void manifest.tables.unshift({ name: 'others', columns: ['x'] });
      const bad: [name: string, bytes: Buffer, reason: RegExp][] = [
        ['cut', whole.subarray(0, whole.length - 200), /cut short/],
        ['flipped', flipped(whole.length >> 1), /damaged/],
        ['others', await rewritten(others), /others/],
        [
          'long',
          await rewritten(() => {}, [['api_key.000000', Buffer.alloc(MAX_ENTRY_BYTES + 1)]]),
          /000000 has 16777217/,
        ],
        ['more', await rewritten(() => {}, [['api_kez.000001', Buffer.alloc(1)]]), /api_kez.000001 stands where/],
      ];
      const temporary = path.join(folder, 'tmp');
      await mkdir(temporary);
      vi.stubEnv('TMPDIR', temporary);
      for (const [name, bytes, reason] of bad) {
        const broken = path.join(folder, name);
        await writeFile(broken, bytes);
        // Each from a file and from standard input, or from one of them.
        const way = name === 'cut' ? streamOf(bytes) : broken;
        for (const from of extent([way], [broken, streamOf(bytes)])) {
          await expect(restoreBackup(url, from, { replace: true }), name).rejects.toThrow(reason);
          expect(await rowsOf(url, 'select title from marker')).toEqual([{ title: 'as it was' }]);
        }
      }
      // The whole one, from standard input.
      await restoreBackup(url, streamOf(whole), { replace: true });
      expect(await rowsOf(url, 'select title from marker')).toEqual([{ title: 'deploy «4.2» 部署' }]);
      expect((await readdir(temporary)).filter((name) => name.startsWith('roundtrip-restore'))).toEqual([]);
      vi.unstubAllEnvs();
    },
  );

  it.runIf(isLong)('midway leaves what the migrations made, and may be tried again', async () => {
    const url = await emptyDatabase();
    await onServer(url, 'create table others (id serial)');
    await expect(restoreBackup(url, file)).rejects.toThrow('has tables of others (others)');
    await onServer(url, 'drop table others');
    const wrong = await rewritten((_, counts) => {
      counts.result = 131;
    });
    await expect(restoreBackup(url, streamOf(wrong))).rejects.toThrow('result has 130 of 131 rows');
    expect(await rowsOf(url, 'select count(*)::int as n from alert_rule')).toEqual([{ n: 5 }]);
    expect((await restoreBackup(url, file)).counts.result).toBe(130);
  });
});

describe('a restore is refused with a sentence', () => {
  it('for a file that is none, was cut short, or is damaged; the database stays empty', async () => {
    const whole = await readFile(file);
    const url = await emptyDatabase();
    const bad: [string, Buffer, RegExp][] = [
      ['none', Buffer.from('PGDMP, or so'), /this file is no backup/],
      ['empty', Buffer.alloc(0), /this file is no backup/],
      ['another', await packed([['other.json', Buffer.from('{}')]]), /this file is no backup/],
      ['short', whole.subarray(0, whole.length - 200), /cut short/],
      ['damaged', Buffer.concat([whole.subarray(0, 3_000), Buffer.alloc(64, 7), whole.subarray(3_064)]), /damaged/],
    ];
    for (const [name, bytes, sentence] of extent(bad.slice(3), bad)) {
      const broken = path.join(folder, name);
      await writeFile(broken, bytes);
      const { status, output } = await roundtrip(url, 'restore', broken);
      expect({ name, status, output }).toMatchObject({ status: 2, output: expect.stringMatching(sentence) });
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(`select to_regclass('target') is null as missing`);
      if (!rows[0].missing) expect((await client.query('select from target')).rows).toEqual([]);
      await client.end();
    }
    expect(await roundtrip(url, 'restore', path.join(folder, 'absent'))).toMatchObject({
      status: 2,
      output: expect.stringContaining('cannot be read'),
    });
  });

  it('of a newer version, or of an earlier tree; neither makes a backup', async () => {
    const empty = await emptyDatabase();
    const held = await emptyDatabase();
    await migrate(held);
    for (const [name, reason] of [
      ['9999_later', 'is of a newer version (it has the migration 9999_later)'],
      ['20261121080000_init', 'is of an earlier tree of Roundtrip (it has the migration 20261121080000_init)'],
    ] as const) {
      const bytes = await rewritten(({ migrations }) => void migrations.push(name));
      await expect(restoreBackup(empty, streamOf(bytes))).rejects.toThrow(reason);
      await onServer(
        held,
        `insert into _prisma_migrations (id, checksum, migration_name, finished_at) values ('x', 'x', '${name}', now())`,
      );
      await expect(backupOf(held)).rejects.toThrow(`is of another version (it has the migration ${name})`);
      await onServer(held, `delete from _prisma_migrations where id = 'x'`);
    }
    expect(await tablesOf(empty)).toBe(0);
  });

  it('into a database that holds something', async () => {
    const url = await emptyDatabase();
    await migrate(url);
    await onServer(url, `insert into dictionary (hash, value) values (sha256('x'), 'x')`);
    expect(await roundtrip(url, 'restore', file)).toMatchObject({
      status: 2,
      output: expect.stringContaining('is not empty (dictionary has rows)'),
    });
  });

  it.runIf(isLong)('into a database that holds something, unless that is to be replaced', async () => {
    const url = await emptyDatabase();
    await restoreBackup(url, streamOf(await readFile(file)));
    await onServer(url, 'delete from marker');
    expect(await roundtrip(url, 'restore', file)).toMatchObject({
      status: 2,
      output: expect.stringContaining('is not empty (api_key has rows)'),
    });
    expect(await roundtrip(url, 'restore', '--replace', file)).toMatchObject({ status: 0 });
    expect(await rowsOf(url, 'select from marker')).toHaveLength(1);
  });

  it('into a database that a running Roundtrip uses', async () => {
    await getPool().query('select 1');
    expect(await roundtrip(source, 'restore', '--replace', file)).toMatchObject({
      status: 2,
      output: expect.stringContaining('Roundtrip uses this database: stop it'),
    });
  });

  it('and a backup of a database that has nothing of Roundtrip, or over a file that is there', async () => {
    expect(await roundtrip(await emptyDatabase(), 'backup', '-')).toEqual({
      status: 2,
      output: expect.stringMatching(/^.*The database holds nothing of Roundtrip: there is nothing to back up\.\n$/),
    });
    const part = path.join(folder, 'other.part');
    await writeFile(part, 'of another');
    expect(await roundtrip(source, 'backup', path.join(folder, 'other'))).toMatchObject({
      status: 2,
      output: expect.stringContaining('other.part exists: another command writes it'),
    });
    expect(await readFile(part, 'utf8')).toBe('of another');
    await rm(part);
    expect(await roundtrip(source, 'backup', file)).toMatchObject({
      status: 2,
      output: expect.stringContaining('exists already'),
    });
    const { status, output } = await roundtrip(source, 'backup', path.join(folder, 'absent', 'x'));
    expect({ status, output }).toMatchObject({ status: 2, output: expect.stringContaining('cannot be written') });
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});
