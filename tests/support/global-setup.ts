import { build } from '#cli/build.ts';
import { leaveTemplate } from './citus/cluster.ts';
import { noteCatalog } from './citus/tables.ts';
import { withDatabase } from './on-server.ts';
import { startTemplate } from './postgres.ts';

/**
 * Vitest's setup of the whole run, which the first of the projects that ask for it makes: one PostgreSQL with one migrated template;
 * its URL and its catalog reach the workers.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.ROUNDTRIP_TEST_TEMPLATE) return undefined;
  await build('program');
  const template = await startTemplate('volatile');
  process.env.ROUNDTRIP_TEST_TEMPLATE = template.url;
  await noteCatalog(template.url);
  await leaveTemplate(withDatabase(template.url, 'postgres'), new URL(template.url).pathname.slice(1));
  return template.stop;
}
