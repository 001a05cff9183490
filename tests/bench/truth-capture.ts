import { parseTcp } from '#tests/lab/packet.ts';
import { packetHeader, pcapHeader, readPcap } from '#tests/lab/pcap.ts';
import { type Connection, connectionsOf, type Segment } from '../support/packets/connections.ts';
import { type Truth, truthOf } from '../support/packets/truth.ts';
import type { Seen } from './truth-types.ts';

/**
 * What a capture says of the prober's connections. The server must send no tickets of the kind that carry the session:
 * clients ask for different numbers of them, and they could be taken for the answer.
 */
export function seenIn(pcap: Buffer, proberAddress: string): Seen[] {
  return byPeer(pcap, proberAddress).flatMap(({ address, sinceMs, packets }) =>
    connectionsOf(Buffer.concat(packets), proberAddress).flatMap((connection) => {
      const truth = truthOf(connection, { tickets: 0 });
      return seenOn(connection, truth, address, sinceMs) ?? [];
    }),
  );
}

type Peer = { address: string; sinceMs: number; packets: Buffer[] };

/** A capture for each address of the server: a local port may serve several of them at the same time. */
function byPeer(pcap: Buffer, proberAddress: string): Peer[] {
  const peers = new Map<string, Peer>();
  for (const { at, ip } of readPcap(pcap)) {
    const tcp = parseTcp(ip);
    if (!tcp) continue;
    const address = tcp.from === proberAddress ? tcp.to : tcp.from;
    const second = Math.floor(at / 1_000);
    const peer = peers.get(address) ?? { address, sinceMs: second * 1_000, packets: [pcapHeader()] };
    peers.set(address, peer);
    peer.packets.push(packetHeader(second, Math.round((at - second * 1_000) * 1e6), ip.length), ip);
  }
  return [...peers.values()];
}

function seenOn(connection: Connection, truth: Truth, address: string, sinceMs: number): Seen | null {
  if (truth.connectMs === null) return null;
  const { tlsMs, wireMs } = truth;
  return {
    localPort: connection.localPort,
    address,
    synAt: sinceMs + truth.synAt,
    endAt: sinceMs + (connection.segments.at(-1)?.at ?? 0),
    connectMs: truth.connectMs,
    tls: tlsMs === null || wireMs === null ? null : { fromSynAckMs: tlsMs, fromHelloMs: wireMs },
    answer: answerOf(connection.segments, truth),
  };
}

/**
 * Counted from the last bytes that the server had when it answered: some clients of HTTP/2 send their settings first and
 * the request in a packet of its own, later when they are busy.
 */
function answerOf(segments: Segment[], { firstPacketAt, firstUsableAt }: Truth): Seen['answer'] {
  if (firstPacketAt === null || firstUsableAt === null) return null;
  const answer = segments.find(({ at, direction }) => direction === 'in' && at === firstPacketAt);
  const request = segments.findLast(
    ({ direction, repeated, offset, payload }) =>
      direction === 'out' && !repeated && payload.length > 0 && offset < (answer?.acknowledges ?? 0),
  );
  if (!request) return null;
  return { firstPacketMs: firstPacketAt - request.at, firstUsableMs: firstUsableAt - request.at };
}
