import { PLAIN_NODE_PROGRAM, type PlainNodeLine, type PlainNodeOrder } from '../truth-plain-node.ts';
import { runToEnd } from '../truth-process.ts';
import type { NotificationState, Tool } from '../truth-types.ts';

/** The naive prober of truth-plain-node.ts, under the Node that runs Roundtrip. */
export const plainNode: Tool = {
  name: 'plain Node',
  version: process.version,
  run: async (lab, load) => {
    const { name, address, port, path, caFile } = lab.server;
    const order: PlainNodeOrder = { load, name, address, port, path, caFile };
    const command = [process.execPath, PLAIN_NODE_PROGRAM, JSON.stringify(order)];
    const { lines, errors, cpu, peak } = await runToEnd(lab.inProber, command, port);
    if (lines.length === 0) throw new Error(`plain Node printed nothing: ${errors}`);
    const told = lines.map((line) => JSON.parse(line)).filter((line) => !('error' in line));
    return { told: told.map(toTold), failed: load.count - told.length, cpu, peak };
  },
};

function toTold({ localPort, connectMs, tlsMs, firstByteMs }: PlainNodeLine): NotificationState {
  return { localPort, address: null, connectMs, tlsMs, wireMs: tlsMs, firstByteMs, own: null };
}
