import type { ConnectAttempt, ResultNetwork } from '#contract/result.ts';
import { roundMs } from '../format.ts';
import type { KernelView } from '../kernel/kernel.ts';
import type { TcpInfo } from '../kernel/tcp-info.ts';
import { cutsOf, marksOf, stampsOf } from '../phases/phases.ts';
import { connectedOf, type Reached } from '../phases/stages.ts';

/** Who was connected to, through whom it was found, what was tried before, and what the kernel knows of the connection by now. */
export function networkOf(reached: Reached): ResultNetwork {
  const { resolver } = reached;
  const unknown = { minRttMs: null, retransmits: null, sndCwnd: null };
  const connected = connectedOf(reached);
  const destination = 'destination' in reached ? reached.destination : null;
  const failed = 'failed' in reached ? reached.failed : [];
  const failedConnect = connected ? null : (failed.at(-1)?.kernel ?? null);
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
    ...attemptsOf(reached),
  };
}

/**
 * The connects in their order, where there were several; offsets and durations add up to the marks `namelookup` and
 * `connect`. `attemptMs` is what the one that connected took, which is the path's time where `tcp` holds the others too.
 */
function attemptsOf(reached: Reached): Pick<ResultNetwork, 'attempts' | 'attemptMs'> {
  const connected = connectedOf(reached);
  const failed = 'failed' in reached ? reached.failed : [];
  if (failed.length + (connected ? 1 : 0) < 2) return {};
  const { namelookup, connect } = marksOf(stampsOf(reached), cutsOf(reached));
  let atMs = namelookup ?? 0;
  const attempts: ConnectAttempt[] = failed.map(({ address, family, startedAt, endedAt, failure, kernel }) => {
    const durationMs = roundMs(endedAt - startedAt);
    const attempt = {
      address,
      family,
      atMs,
      durationMs,
      reason: failure.reason,
      syns: kernel && kernel.retransmits + 1,
    };
    atMs = roundMs(atMs + durationMs);
    return attempt;
  });
  if (!connected || connect === null) return { attempts };
  const { address, family } = connected.destination;
  const attemptMs = roundMs(Math.max(0, connect - atMs));
  const { kernel } = connected.connection;
  const syns = kernel ? kernel.atConnect.retransmits + 1 : null;
  return { attempts: [...attempts, { address, family, atMs, durationMs: attemptMs, reason: null, syns }], attemptMs };
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
