import path from 'node:path';
import { ROOT } from '#cli/dist.mjs';
import type { Result } from '#contract/result.ts';
import { runToEnd } from '../truth-process.ts';
import type { Load, NotificationState, Tool, TruthLab } from '../truth-types.ts';

/** Our own prober as anybody runs it: `roundtrip probe URL --json`. */
export const roundtrip: Tool = {
  name: 'Roundtrip',
  version: process.version,
  run: async (lab, load) => {
    const { lines, errors, cpu, peak } = await runToEnd(lab.inProber, commandOf(lab, load), lab.server.port);
    if (lines.length === 0) throw new Error(`roundtrip probe printed nothing: ${errors}`);
    const results: Result[] = lines.map((line) => JSON.parse(line));
    const good = results.filter(({ ok }) => ok);
    return { told: good.map(toTold), failed: load.count - good.length, cpu, peak };
  },
};

function commandOf({ server }: TruthLab, { count, rate, concurrency, http }: Load): string[] {
  return [
    process.execPath,
    path.join(ROOT, 'cli/roundtrip.mjs'),
    'probe',
    `https://${server.name}:${server.port}${server.path}`,
    ...['--resolve', `${server.name}:${server.port}:${server.address}`, '--cacert', server.caFile],
    ...['--count', String(count), '--concurrency', String(concurrency), '--json'],
    ...(rate === null ? [] : ['--rate', String(rate)]),
    ...(http ? [] : ['--no-http']),
  ];
}

/** What a Result says, as the bench compares it. */
export function toTold({ phases, network, tls, http, prober }: Result): NotificationState {
  return {
    localPort: network.localPort,
    address: network.peerAddress,
    connectMs: phases.tcp,
    tlsMs: phases.tls,
    wireMs: tls?.handshake.wireMs ?? null,
    firstByteMs: phases.firstByte,
    own: {
      clean: prober.clean,
      loopDelayMs: prober.loopDelayMs,
      kernelRttMs: network.rttMs ?? null,
      firstPacketMs: http?.firstPacketMs ?? null,
      firstUsableMs: http?.firstUsableMs ?? null,
    },
  };
}
