import { prepareClient } from '#cli/prepare.ts';
import { startTemplate } from './postgres.ts';

/** Vitest's setup of the whole run: one PostgreSQL with one migrated template; its URL reaches the workers. */
export default async function setup(): Promise<() => Promise<void>> {
  await prepareClient(() => {});
  const template = await startTemplate();
  process.env.ROUNDTRIP_TEST_TEMPLATE = template.url;
  return template.stop;
}
