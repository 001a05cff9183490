import { afterAll, beforeAll, expect, it } from 'vitest';
import { setAdminPassword } from '#server/access/admin.ts';
import { authenticateKey, createKey } from '#server/access/keys.ts';
import { findSession, signIn } from '#server/access/session.ts';
import { closeDatabase, getPool } from '#server/database/database.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

// A database whose disk is full, or that is a standby, can be read and not written.

const PASSWORD = 'correct horse battery staple';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

it('whoever is signed in or has a key still reads', async () => {
  await setAdminPassword(PASSWORD);
  const from = { address: '192.0.2.1', network: '192.0.2.1', userAgent: 'test', browser: undefined };
  const { cookies } = await signIn(PASSWORD, from);
  const cookie = cookies[0]?.value;
  const { key } = await createKey({ name: 'reader', scope: 'read' });
  // So long ago that being seen would be noted.
  await getPool().query(`update session set last_seen_at = now() - interval '1 hour'`);
  await getPool().query(
    `alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = on`,
  );
  await closeDatabase();
  await expect(getPool().query('delete from session')).rejects.toThrow(/read-only/);
  expect(await findSession(cookie)).not.toBeNull();
  expect(await authenticateKey(`Bearer ${key}`)).toMatchObject({ name: 'reader' });
});
