import { execFileSync } from 'node:child_process';
import { runToEnd } from '../truth-process.ts';
import type { NotificationState, Tool } from '../truth-types.ts';

const FORMAT =
  '{"localPort":%{local_port},"connect":%{time_connect},"namelookup":%{time_namelookup},"appconnect":%{time_appconnect},' +
  '"pretransfer":%{time_pretransfer},"starttransfer":%{time_starttransfer}}\\n';

type CurlLine = {
  localPort: number;
  connect: number;
  namelookup: number;
  appconnect: number;
  pretransfer: number;
  starttransfer: number;
};

/** curl as the machine has it, one process a probe; a string where it has none. */
export function findCurl(): Tool | string {
  try {
    const [, version = ''] = execFileSync('curl', ['--version'], { encoding: 'utf8' }).split(' ');
    return { name: 'curl', version, run };
  } catch {
    return 'curl is left out: it is not installed';
  }
}

const run: Tool['run'] = async ({ inProber, server }, { count, concurrency, http }) => {
  if (concurrency > 1) return 'one probe a process: measured one at a time only';
  if (!http) return 'it does not end after a handshake';
  const url = `https://${server.name}:${server.port}${server.path}`;
  const one = ['curl', '-s', '-o', '/dev/null', '-w', FORMAT, '--cacert', server.caFile, '--resolve'];
  const quoted = [...one, `${server.name}:${server.port}:${server.address}`, url].map((word) => `'${word}'`).join(' ');
  const loop = ['bash', '-c', `for ((n = 0; n < ${count}; n += 1)); do ${quoted}; done`];
  const { lines, cpu, peak } = await runToEnd(inProber, loop, server.port);
  const good = lines.map((line): CurlLine => JSON.parse(line)).filter(({ starttransfer }) => starttransfer > 0);
  return { told: good.map(toTold), failed: count - good.length, cpu, peak };
};

/** curl's cumulative seconds as phases. */
function toTold({
  localPort,
  connect,
  namelookup,
  appconnect,
  pretransfer,
  starttransfer,
}: CurlLine): NotificationState {
  const tlsMs = (appconnect - connect) * 1_000;
  return {
    localPort,
    address: null,
    connectMs: (connect - namelookup) * 1_000,
    tlsMs,
    wireMs: tlsMs,
    firstByteMs: (starttransfer - pretransfer) * 1_000,
    own: null,
  };
}
