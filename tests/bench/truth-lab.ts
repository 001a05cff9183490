import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { must } from '#tests/lab/commands.ts';
import { openLab } from '#tests/lab/lab.ts';
import type { Lab } from '#tests/lab/types.ts';
import { seenIn } from './truth-capture.ts';
import { OTHER_CORE } from './truth-process.ts';
import type { TruthLab } from './truth-types.ts';

const SCENARIO = 'truth';
const BODY_BYTES = 4_000;
/** Where the server also listens on every address of `POOL`. */
const POOL_PORT = 4_400;
const POOL = '10.77.0.0/16';
const LISTENS_WITHIN_MS = 10_000;

/** A lab of this bench: nginx with a stapled ECDSA chain and HTTP/2, all but the prober on the other core. */
export async function openTruthLab(rttMs: number): Promise<TruthLab> {
  const scenario = { name: SCENARIO, http2: true, tickets: false, staple: true, bodyBytes: BODY_BYTES };
  const lab = await openLab({ rttMs, scenarios: [scenario], serverCpus: String(OTHER_CORE) });
  try {
    await openPool(lab);
  } catch (error) {
    await lab.close();
    throw error;
  }
  return {
    inProber: lab.inProber,
    rttMs,
    server: { name: 'lab.test', address: lab.address, port: POOL_PORT, path: '/', caFile: lab.caFile },
    addresses: (count) => Array.from({ length: count }, (_, at) => `10.77.${(at >> 8) + 1}.${at & 255}`),
    capture: async () => {
      const capture = await lab.capture();
      return {
        stop: async () => {
          const { pcap, missed } = await capture.stop();
          if (missed > 0) throw new Error(`the capture missed ${missed} packets: what is left is no truth`);
          return seenIn(pcap, lab.proberAddress);
        },
      };
    },
    close: () => lab.close(),
  };
}

/** Gives the server a network of addresses, and a port on all of them. */
async function openPool(lab: Lab): Promise<void> {
  await must(...lab.inServer, 'ip', 'route', 'add', 'local', POOL, 'dev', 'lo');
  const way = await must(...lab.inProber, 'ip', 'route', 'get', lab.address);
  const [, device = ''] = / dev (\S+)/.exec(way) ?? [];
  const route = [POOL, 'via', lab.address, 'dev', device, 'onlink', 'src', lab.proberAddress];
  await must(...lab.inProber, 'ip', 'route', 'add', ...route);
  const file = path.join(lab.folder, 'nginx.conf');
  const settings = readFileSync(file, 'utf8');
  const more = settings.replace(
    /listen \S+?:\d+ (.*?);/,
    (listen, how) => `${listen}\n    listen ${POOL_PORT} ${how};`,
  );
  if (more === settings) throw new Error(`no listen line in ${file}`);
  writeFileSync(file, more);
  const pid = Number(readFileSync(path.join(lab.folder, 'nginx.pid'), 'utf8'));
  process.kill(pid, 'SIGHUP');
  await listening(pid, POOL_PORT);
}

/** nginx takes its new settings in its own time and tells nobody. */
async function listening(pid: number, port: number): Promise<void> {
  const row = new RegExp(`^ *\\d+: 0{8}:${port.toString(16).toUpperCase()} 0{8}:0000 0A `, 'm');
  const until = performance.now() + LISTENS_WITHIN_MS;
  while (!row.test(readFileSync(`/proc/${pid}/net/tcp`, 'latin1'))) {
    if (performance.now() > until) throw new Error(`nginx does not listen on port ${port}`);
    await sleep(20);
  }
}
