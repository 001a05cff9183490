import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDatabaseUrl } from '#cli/database/database-url.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#cli/database/embedded-postgres.ts';
import { createAuthority, issue } from '#demo/pki.ts';
import { writeBackup } from '#server/database/backup.ts';
import type { RowCounts } from '#server/database/backup-file.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { prepareDatabase } from '#server/database/migrate.ts';
import { makePartitionsAhead } from '#server/database/partitions.ts';
import { restoreBackup } from '#server/database/restore.ts';
import { findServer } from '#tests/lab/nginx.ts';
import { prepareFolder } from '../support/folder.ts';
import { onServer, withDatabase } from '../support/on-server.ts';
import { freePort, stop } from '../support/process.ts';

// PostgreSQL as people have it: by a socket, with settings of their own, with TLS, or not for us.

let server: EmbeddedPostgres;
const folder = prepareFolder('urls');
beforeAll(async () => {
  await chmod(folder, 0o711);
  server = await startEmbeddedPostgres({ dataDir: path.join(folder, 'data'), log: () => {} });
  await prepareDatabase(await make('prepared'));
});
afterAll(async () => {
  await closeDatabase();
  await server?.stop();
});

async function make(name: string, options = ''): Promise<string> {
  await onServer(server.url, `create database ${name} ${options}`);
  return withDatabase(server.url, name);
}

async function rowsOf<T>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

async function backedUp(url: string): Promise<{ counts: RowCounts; stream: Readable }> {
  const to = new PassThrough();
  const chunks = to.toArray();
  const counts = await writeBackup(url, to);
  to.end();
  return { counts, stream: Readable.from(await chunks) };
}

/** A URL of a user of its own, without special rights. */
async function asUser(name: string, options = ''): Promise<string> {
  await onServer(server.url, `create role ${name} login password 'secret' ${options}`);
  return Object.assign(new URL(server.url), { username: name, password: 'secret' }).href;
}

describe('a database that is there', () => {
  let socket: Server;
  beforeAll(async () => {
    // The embedded server has no socket of its own.
    const port = Number(new URL(server.url).port);
    socket = createServer((client) => {
      const behind = connect(port, '127.0.0.1');
      client.pipe(behind).pipe(client);
      for (const one of [client, behind]) one.on('error', () => {});
    }).listen(path.join(folder, '.s.PGSQL.5433'));
    await once(socket, 'listening');
  });
  afterAll(() => void socket.close());

  const forms = [
    (user: string, password: string) => `postgresql://${user}:${password}@/by_socket?host=${folder}&port=5433`,
    (user: string, password: string) =>
      `postgresql://${user}:${password}@${encodeURIComponent(folder)}/by_socket?port=5433`,
  ];
  it.each(forms)('is reached by its socket', async (urlFor) => {
    await make('by_socket');
    const { username, password } = new URL(server.url);
    const url = urlFor(username, password);
    try {
      expect((await checkDatabaseUrl(url)).description).toMatch(
        new RegExp(`^18\\.\\d+ at ${folder}:5433, database by_socket$`),
      );
      expect((await prepareDatabase(url)).applied.length).toBeGreaterThan(0);
      expect((await prepareDatabase(url)).applied).toEqual([]);
    } finally {
      await onServer(server.url, 'drop database by_socket with (force)');
    }
  });

  it('is used as ours whatever its settings are: dates, zone, schema', async () => {
    const plain = await make('plain', 'template prepared');
    const odd = await make('odd');
    await onServer(odd, 'create schema monitoring');
    const settings = [
      `datestyle = 'SQL, DMY'`,
      `timezone = 'Asia/Shanghai'`,
      'search_path = monitoring',
      `intervalstyle = 'iso_8601'`,
    ];
    for (const setting of settings) await onServer(odd, `alter database odd set ${setting}`);
    const bounds = async (url: string) => {
      await prepareDatabase(url);
      await closeDatabase();
      process.env.DATABASE_URL = url;
      await makePartitionsAhead(Date.parse('2026-11-24T08:00:00Z'));
      await getPool().query(`insert into setting (key, value, updated_at) values ('x', '1', now())`);
      await closeDatabase();
      const ours = encodeURIComponent('-c datestyle=ISO -c timezone=UTC -c search_path=public');
      return rowsOf(
        `${url}?options=${ours}`,
        `select relnamespace::regnamespace::text as schema, relname, pg_get_expr(relpartbound, oid) as bounds from pg_class
          where relnamespace::regnamespace::text in ('public', 'monitoring') and relkind in ('r', 'p') order by relname`,
      );
    };
    const expected = await bounds(plain);
    expect(expected.length).toBeGreaterThan(40);
    expect(await bounds(odd)).toEqual(expected);

    const { counts, stream } = await backedUp(odd);
    const copy = await make('odd_copy');
    for (const setting of settings) await onServer(server.url, `alter database odd_copy set ${setting}`);
    expect((await restoreBackup(copy, stream)).counts).toEqual(counts);
  });

  it('keeps a restore out while it is used, whatever name the URL gives its connections', async () => {
    const url = await make('named', 'template prepared');
    process.env.DATABASE_URL = `${url}?application_name=grafana`;
    await getPool().query('select');
    const { stream } = await backedUp(url);
    await expect(restoreBackup(url, stream, { replace: true })).rejects.toThrow(
      /^Roundtrip uses this database: stop it/,
    );
    await closeDatabase();
  });
});

describe('a database that is not for us', () => {
  it.each(['LATIN1', 'SQL_ASCII'])(
    'because of its encoding, %s, is refused before anything is made',
    async (encoding) => {
      const url = await make(`of_${encoding.toLowerCase()}`, `encoding '${encoding}' locale 'C' template template0`);
      await expect(prepareDatabase(url)).rejects.toThrow(
        new RegExp(`^its encoding is ${encoding}, and Roundtrip needs UTF8: recreate it \\(createdb --encoding=UTF8`),
      );
      expect(await rowsOf(url, `select relname from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
    },
  );

  it('because its user may make no tables there, is refused before anything is made', async () => {
    await make('of_another');
    const url = withDatabase(await asUser('maker'), 'of_another');
    await expect(prepareDatabase(url)).rejects.toThrow(
      /^maker may make no tables in it: grant create on schema public to maker$/,
    );
  });

  it('says its own words about what keeps us out', async () => {
    const outsider = await asUser('outsider');
    await make('closed');
    await onServer(server.url, 'revoke connect on database closed from public');
    const crowded = await asUser('crowded', 'connection limit 0');
    const cases: [string, RegExp][] = [
      [
        withDatabase(outsider, 'closed'),
        /lets user outsider not in \(permission denied for database "closed"\): grant connect/,
      ],
      [crowded, /has no connection left \(too many connections for role "crowded"\)/],
      [
        `${server.url}?sslmode=verify-full`,
        /The TLS of .* is not as DATABASE_URL wants it \(The server does not support SSL/,
      ],
      [
        `${server.url}?sslrootcert=/nowhere/ca.pem`,
        /^DATABASE_URL names the file \/nowhere\/ca\.pem, which cannot be read \(ENOENT\)\.$/,
      ],
      [
        `${server.url}?schema=monitoring`,
        /^DATABASE_URL has schema=monitoring, but Roundtrip keeps its tables in the schema public/,
      ],
      [
        `${server.url}?options=-c%20no_such_setting%3D1`,
        /cannot be used: unrecognized configuration parameter "no_such_setting"/,
      ],
      [
        `postgresql://u:secret@/x?host=${folder}&port=1`,
        new RegExp(`^No PostgreSQL answers at ${folder}:1 \\(ENOENT\\): start it`),
      ],
      ['postgresql://u:secret@127.0.0.1:1/x', /^No PostgreSQL answers at 127\.0\.0\.1:1 \(ECONNREFUSED\): start it/],
    ];
    for (const [url, sentence] of cases) {
      const { message } = await checkDatabaseUrl(url).then(
        () => Error('accepted'),
        (error: Error) => error,
      );
      expect(message).toMatch(sentence);
      expect(message).not.toContain(new URL(server.url).password);
      expect(message).not.toContain('secret');
    }
  });

  /** What is said, twice, of the server behind another program, which listens at the port. */
  async function saidBehind(command: string[], port: number, database: string): Promise<string[]> {
    const { username, password } = new URL(server.url);
    // PgBouncer does not run as root.
    const ordinary = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const [program = '', ...args] = command;
    const child = spawn(program, args, { stdio: 'ignore', ...ordinary });
    const url = `postgresql://${username}:${password}@127.0.0.1:${port}/${database}`;
    const said = () =>
      checkDatabaseUrl(url).then(
        ({ description }) => description,
        ({ message }: Error) => message,
      );
    try {
      await expect.poll(said).not.toContain('ECONNREFUSED');
      // Several connections to PostgreSQL lie ready in a pool, if that may have so many.
      await Promise.allSettled([1, 2, 3].map(() => rowsOf(url, 'select pg_sleep(0.2)')));
      return [await said(), await said()];
    } finally {
      await stop(child);
    }
  }

  const USABLE = /^18\.\d+ at 127\.0\.0\.1:\d+, database \w+$/;
  const POOLED =
    /^PostgreSQL at 127\.0\.0\.1:\d+ cannot be used: a pooler \(such as PgBouncer\) lends connections .*: use session mode \(pool_mode = session\), or .*\.$/;

  const pgbouncer = findServer('pgbouncer');
  describe.skipIf(!pgbouncer)('behind PgBouncer (skipped where there is none)', () => {
    const modes = [
      ['session', USABLE],
      ['transaction', POOLED],
      ['statement', POOLED],
    ] as const;
    const pools = ['default_pool_size = 20', 'default_pool_size = 1', 'server_round_robin = 1'];
    it.each(modes.flatMap(([mode, said]) => pools.map((pool) => [mode, pool, said] as const)))(
      'in %s mode, with %s',
      async (mode, pool, said) => {
        const port = await freePort();
        const { hostname, port: own, username, password } = new URL(server.url);
        const file = path.join(folder, 'pgbouncer.ini');
        const database = `pooled = host=${hostname} port=${own} dbname=postgres user=${username} password=${password}`;
        const listens = ['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'];
        const settings = [...listens, `pool_mode = ${mode}`, pool];
        await writeFile(file, ['[databases]', database, '[pgbouncer]', ...settings].join('\n'));
        for (const each of await saidBehind([pgbouncer ?? '', file], port, 'pooled')) expect(each).toMatch(said);
      },
    );
  });

  const haproxy = findServer('haproxy');
  it.skipIf(!haproxy)('but for what passes bytes on, such as HAProxy (skipped where there is none)', async () => {
    const port = await freePort();
    const file = path.join(folder, 'haproxy.cfg');
    const timeouts = ['connect', 'client', 'server'].map((each) => `timeout ${each} 60s`);
    const { host } = new URL(server.url);
    const proxy = ['listen one', 'mode tcp', `bind 127.0.0.1:${port}`, `server two ${host}`, ...timeouts];
    await writeFile(file, `${proxy.join('\n')}\n`);
    const said = await saidBehind([haproxy ?? '', '-db', '-f', file], port, 'postgres');
    for (const each of said) expect(each).toMatch(USABLE);
  });

  it('says so where its certificate is not trusted', async () => {
    const { chainPem, keyPem } = await issue(await createAuthority({ name: 'Strangers', key: 'ec' }), {
      names: ['localhost'],
    });
    const cluster = path.join(server.location, 'cluster');
    const { uid, gid } = await stat(cluster);
    for (const [name, text] of [
      ['server.crt', chainPem],
      ['server.key', keyPem],
    ] as const) {
      const file = path.join(cluster, name);
      await writeFile(file, text, { mode: 0o600 });
      await chown(file, uid, gid);
    }
    await onServer(server.url, 'alter system set ssl = on');
    await onServer(server.url, 'select pg_reload_conf()');
    const said = () =>
      checkDatabaseUrl(`${server.url}?sslmode=verify-full`).then(
        () => '',
        (error: Error) => error.message,
      );
    await expect
      .poll(said)
      .toMatch(
        /The TLS of PostgreSQL at \S+ is not as .* \((unable to|self.signed).*name the file of its authority in sslrootcert\.$/,
      );
  });
});
