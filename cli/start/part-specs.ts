import path from 'node:path';
import { checkAddress } from '../address.ts';
import { DEMO_NODE_ARGS, DEMO_PAST_NODE_ARGS, jobsNodeArgs, webNodeArgs } from './heaps.ts';
import type { PartSpec } from './part.ts';
import type { Start } from './running.ts';

/** Parts that only measure get none of the server's secrets. */
const NO_SECRETS = {
  DATABASE_URL: '',
  DATABASE_REPLICA_URL: '',
  ROUNDTRIP_SECRET: '',
  ROUNDTRIP_ADMIN_PASSWORD: '',
  ROUNDTRIP_TOKEN_FILE: '',
  OTEL_EXPORTER_OTLP_HEADERS: '',
};
const log = ({ folder }: Start, name: string) => path.join(folder, 'logs', `${name}.log`);

/** The dashboard, the API and the jobs: rollups, detection, alert rules, deliveries, housekeeping. */
export function serverPart(start: Start): PartSpec {
  return { ...webPart(start), name: 'Server', entry: 'server', logFile: log(start, 'server') };
}

/** The dashboard and the API alone. */
export function webPart(start: Start): PartSpec {
  const { host, port } = start.options;
  const env = { HOST: host, PORT: String(port) };
  // Checked before anything was started, too; any outgoing connection of this machine may have taken the port since then.
  const checkSurroundings = () => checkAddress(host, port);
  const nodeArgs = webNodeArgs();
  return { name: 'Web', entry: 'web', nodeArgs, env: () => env, logFile: log(start, 'web'), checkSurroundings };
}

/** The jobs alone. */
export function jobsPart(start: Start): PartSpec {
  return { name: 'Jobs', entry: 'jobs', nodeArgs: jobsNodeArgs(), env: () => ({}), logFile: log(start, 'jobs') };
}

/** Every address. */
const ALL_NETWORKS = '0.0.0.0/0,::/0';

/**
 * Networks that this machine's prober may reach, unless it has a list of its own: those that the server may, which runs at the same machine.
 * So the server's settings decide, but where the environment refuses private addresses.
 */
function reachableHere({ ROUNDTRIP_ALLOW_PRIVATE, ROUNDTRIP_ALLOW_PRIVATE_TARGETS }: NodeJS.ProcessEnv): string {
  return ROUNDTRIP_ALLOW_PRIVATE || (ROUNDTRIP_ALLOW_PRIVATE_TARGETS === '0' ? '' : ALL_NETWORKS);
}

/** A prober at this machine. It gets no database credentials. */
export function proberPart(start: Start): PartSpec {
  // The prober keeps a folder of its own in the data folder.
  const where = { ROUNDTRIP_SERVER: start.options.url, ROUNDTRIP_DATA: start.folder };
  // It shares its machine with all the rest.
  const threads = { ROUNDTRIP_THREADS: process.env.ROUNDTRIP_THREADS || '1' };
  const reachable = { ROUNDTRIP_ALLOW_PRIVATE: reachableHere(process.env) };
  return {
    name: 'Prober',
    entry: 'prober/main',
    env: async () => {
      const env = await start.clerk.do('localProberEnv', start.folder);
      return env && { ...NO_SECRETS, ...where, ...threads, ...reachable, ...env };
    },
    logFile: log(start, 'prober'),
  };
}

/** Gives the demo its past, and ends. */
export function demoPastPart(start: Start): PartSpec {
  return {
    name: 'Demo past',
    entry: 'demo-past',
    nodeArgs: DEMO_PAST_NODE_ARGS,
    env: async () => ((await start.clerk.do('lacksPast')) ? {} : null),
    logFile: log(start, 'demo-past'),
    // `{done: true, said}`: it is not to be started again.
    onMessage: async (message, { rest }) => {
      if (says(message, 'done')) rest(String(message.said));
    },
  };
}

/**
 * The demo's origins and the prober that measures them through emulated lines; it is answered once `serving`. `measured` is
 * called when all its checks have had their first turn.
 */
export function demoPart(start: Start, serving: Promise<void>, measured: () => Promise<unknown>): PartSpec {
  const env = { ...NO_SECRETS, ROUNDTRIP_SERVER: start.options.url };
  return {
    name: 'Demo',
    entry: 'demo',
    nodeArgs: DEMO_NODE_ARGS,
    env: () => env,
    logFile: log(start, 'demo'),
    onMessage: async (message, { reply, rest }) => {
      if (says(message, 'removed')) return rest('ended: the demo was removed');
      if (says(message, 'measured')) await measured();
      if (!says(message, 'origins') && !says(message, 'marker')) return;
      await serving;
      const answer = await start.clerk.do('answerDemo', message);
      if (answer.rest !== undefined) return rest(answer.rest);
      if (answer.reply) reply(answer.reply);
    },
  };
}

/** Whether a part's message has this field, and it is not empty. */
function says<Field extends string>(message: unknown, field: Field): message is Record<Field | 'said', unknown> {
  return typeof message === 'object' && message !== null && field in message && Boolean(Reflect.get(message, field));
}
