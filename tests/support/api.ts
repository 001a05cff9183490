import { createKey } from '#server/access/keys.ts';
import { testDatabase } from './database.ts';
import { type Asker, asker } from './openapi.ts';
import { startTestServer, type TestServer } from './server.ts';

/** A server on a database of its own, with a key of each scope; `ask` uses the admin's. */
export type ApiUnderTest = {
  server: TestServer;
  ask: Asker;
  keys: Record<'read' | 'write' | 'admin', string>;
  stop: () => Promise<void>;
};

/** Starts all that a test of the HTTP interface needs. */
export async function startApi(env: Record<string, string> = {}): Promise<ApiUnderTest> {
  const database = await testDatabase();
  const server = await startTestServer({ databaseUrl: database.url, env });
  const made = await Promise.all(
    (['read', 'write', 'admin'] as const).map((scope) => createKey({ name: scope, scope })),
  );
  const [read = '', write = '', admin = ''] = made.map(({ key }) => key);
  const stop = async () => {
    await server.stop();
    await database.drop();
  };
  return { server, ask: asker(server.baseUrl, admin), keys: { read, write, admin }, stop };
}
