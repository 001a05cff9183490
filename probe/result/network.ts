import type { ResultNetwork } from '#contract/result.ts';
import { roundMs } from '../format.ts';
import type { KernelView } from '../kernel/kernel.ts';
import type { TcpInfo } from '../kernel/tcp-info.ts';
import { connectedOf, type Reached } from '../phases/stages.ts';

/** Who was connected to, through whom it was found, and what the kernel knows of the connection by now. */
export function networkOf(reached: Reached): ResultNetwork {
  const { resolver } = reached;
  const unknown = { minRttMs: null, retransmits: null, sndCwnd: null };
  const connected = connectedOf(reached);
  const destination = 'destination' in reached ? reached.destination : null;
  const failedConnect = connected || !('failedConnect' in reached) ? null : reached.failedConnect;
  const connection = connected?.connection;
  return {
    peerAddress: connection?.peerAddress ?? destination?.address ?? null,
    peerPort: connection?.peerPort ?? destination?.port ?? null,
    localAddress: connection?.localAddress ?? null,
    localPort: connection?.localPort ?? null,
    family: connection?.family ?? destination?.family ?? null,
    resolver,
    ...unknown,
    ...(failedConnect ? countsOfFailed(failedConnect) : {}),
    ...(connection?.kernel ? figuresOf(connection.kernel) : {}),
  };
}

/** Nothing but SYNs was sent, so all that was sent again were those; no answer came that a round-trip time could be of. */
function countsOfFailed({ retransmits, segmentsIn, segmentsOut }: TcpInfo) {
  return { retransmits, synRetransmits: retransmits, segmentsIn, segmentsOut };
}

/** Of a path that carries more, no segment is called full that holds less than this. */
const LEAST_FULL_BYTES = 1_000;

/** The largest segment that came is a full one, unless the server never had so much to send. */
function fullSegmentBytes({ receiveMss, sendMss }: TcpInfo): number | null {
  return receiveMss >= Math.min(LEAST_FULL_BYTES, sendMss) ? receiveMss : null;
}

function figuresOf(kernel: KernelView) {
  const now = kernel.info();
  return {
    minRttMs: roundMs(now.minRttMs),
    retransmits: now.retransmits,
    sndCwnd: now.sndCwnd,
    rttMs: roundMs(kernel.atConnect.rttMs),
    synRetransmits: kernel.atConnect.retransmits,
    segmentsIn: now.segmentsIn,
    segmentsOut: now.segmentsOut,
    outOfOrder: now.outOfOrder,
    mss: fullSegmentBytes(now),
  };
}
