import { afterAll, afterEach, beforeAll } from 'vitest';
import { type TestDatabase, testDatabase } from './database.ts';
import { allowLoopback, removeWebhooks } from './deliveries.ts';
import { type Received, type Receiver, type Reply, startReceiver } from './receiver.ts';

/** What a file that sends messages has for its tests. */
export type Outbox = {
  /** Starts a receiver on loopback; it is stopped after the test. */
  receive: (answer?: (request: Received) => Reply | Promise<Reply>) => Promise<Receiver>;
  /** The URL of the file's own database, once its tests run. */
  databaseUrl: () => string;
};

/** Gives the file a database of its own, from which each test's webhooks are gone after it. To be called at its top. */
export function prepareOutbox(): Outbox {
  let database: TestDatabase | undefined;
  const receivers: Receiver[] = [];
  beforeAll(async () => {
    allowLoopback();
    database = await testDatabase();
  });
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.stop();
    await removeWebhooks();
  });
  afterAll(() => database?.drop());
  return {
    receive: async (answer) => {
      const receiver = await startReceiver(answer);
      receivers.push(receiver);
      return receiver;
    },
    databaseUrl: () => database?.url ?? '',
  };
}
