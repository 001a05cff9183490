import path from 'node:path';
import { answerDemo } from '../demo/demo.ts';
import { answerDemoPast, lacksPast } from '../demo/past.ts';
import { localProberEnv } from '../local-prober.ts';
import type { PartSpec } from './part.ts';
import type { Start } from './running.ts';

/** Parts that only measure get none of the server's secrets. */
const NO_SECRETS = { DATABASE_URL: '', ROUNDTRIP_SECRET: '', ROUNDTRIP_ADMIN_PASSWORD: '' };
/** A batch of results is a few megabytes of short-lived objects: room for them spares half of the collections. */
const WEB_NODE_ARGS = ['--max-semi-space-size=64'];
const log = ({ folder }: Start, name: string) => path.join(folder, 'logs', `${name}.log`);

/** The dashboard and the API. */
export function webPart(start: Start): PartSpec {
  const { host, port } = start.options;
  const env = { HOST: host, PORT: String(port) };
  const entry = 'cli/start/web-main.ts';
  return { name: 'Web', entry, nodeArgs: WEB_NODE_ARGS, env: () => env, logFile: log(start, 'web') };
}

/** Rollups, partitions and other housekeeping beside the database. */
export function jobsPart(start: Start): PartSpec {
  return { name: 'Jobs', entry: 'workers/jobs/main.ts', env: () => ({}), logFile: log(start, 'jobs') };
}

/** A prober at this machine. It gets no database credentials. */
export function proberPart(start: Start): PartSpec {
  // The prober keeps a folder of its own in the data folder.
  const where = { ROUNDTRIP_SERVER: start.options.url, ROUNDTRIP_DATA: start.folder };
  // It shares its machine with all the rest.
  const threads = { ROUNDTRIP_THREADS: process.env.ROUNDTRIP_THREADS ?? '1' };
  return {
    name: 'Prober',
    entry: 'workers/prober/main.ts',
    env: async () => {
      const env = await localProberEnv(start.folder);
      return env && { ...NO_SECRETS, ...where, ...threads, ...env };
    },
    logFile: log(start, 'prober'),
  };
}

/** Gives the demo its past, and ends. */
export function demoPastPart(start: Start): PartSpec {
  return {
    name: 'Demo past',
    entry: 'cli/demo/past-main.ts',
    env: async () => ((await lacksPast()) ? {} : null),
    logFile: log(start, 'demo-past'),
    onMessage: async (message, conversation) => answerDemoPast(message, conversation),
  };
}

/**
 * The demo's origins and the prober that measures them through emulated lines; it is answered once `serving`. `made` is
 * called when its targets are there.
 */
export function demoPart(start: Start, serving: Promise<void>, made: () => Promise<unknown>): PartSpec {
  const env = { ...NO_SECRETS, ROUNDTRIP_SERVER: start.options.url };
  return {
    name: 'Demo',
    entry: 'demo/main.ts',
    env: () => env,
    logFile: log(start, 'demo'),
    onMessage: async (message, conversation) => {
      await serving;
      await answerDemo(message, conversation, made);
    },
  };
}
