import { parseTcp, type TcpPacket } from '#tests/lab/packet.ts';
import { readPcap } from '#tests/lab/pcap.ts';

/** One packet of a connection. Offsets count the bytes of their direction from 0; those of retransmissions repeat. */
export type Segment = {
  /** ms on the capture's clock. */
  at: number;
  direction: 'out' | 'in';
  /** Of the payload's first byte; of a SYN -1. */
  offset: number;
  payload: Buffer;
  /** Bytes of the other direction that it acknowledges; -1 where it acknowledges nothing. */
  acknowledges: number;
  syn: boolean;
  fin: boolean;
  rst: boolean;
  /** Whether it carries bytes (or a SYN) and all of them had been seen before. */
  repeated: boolean;
};

/** One connection as the prober's namespace saw it. `out` is what the prober sent. */
export type Connection = { localPort: number; peerPort: number; segments: Segment[] };

type Open = Connection & { isn: { out: number; in: number | null }; end: { out: number; in: number } };

/** The connections of a capture that the prober opened, in the order of their first SYNs. Throws on a broken file. */
export function connectionsOf(pcap: Buffer, proberAddress: string): Connection[] {
  const found: Open[] = [];
  const current = new Map<string, Open>();
  for (const { at, ip } of readPcap(pcap)) {
    const tcp = parseTcp(ip);
    if (!tcp || (tcp.from !== proberAddress && tcp.to !== proberAddress)) continue;
    const direction = tcp.from === proberAddress ? 'out' : 'in';
    const [local, peer] = direction === 'out' ? [tcp.fromPort, tcp.toPort] : [tcp.toPort, tcp.fromPort];
    const key = `${local} ${peer}`;
    let connection = current.get(key);
    if (direction === 'out' && tcp.syn && connection?.isn.out !== tcp.sequence) {
      connection = {
        localPort: local,
        peerPort: peer,
        segments: [],
        isn: { out: tcp.sequence, in: null },
        end: start(),
      };
      current.set(key, connection);
      found.push(connection);
    }
    if (connection) add(connection, tcp, direction, at);
  }
  return found.map(({ localPort, peerPort, segments }) => ({ localPort, peerPort, segments }));
}

const start = () => ({ out: -1, in: -1 });

function add(connection: Open, tcp: TcpPacket, direction: 'out' | 'in', at: number): void {
  const { isn, end } = connection;
  if (direction === 'in' && tcp.syn) isn.in ??= tcp.sequence;
  const [own, other] = direction === 'out' ? [isn.out, isn.in] : [isn.in, isn.out];
  if (own === null) return;
  const offset = distance(own, tcp.sequence) - 1;
  const ends = offset + (tcp.syn ? 1 : 0) + tcp.payload.length;
  const carries = tcp.syn || tcp.payload.length > 0;
  connection.segments.push({
    at,
    direction,
    offset,
    payload: tcp.payload,
    acknowledges: tcp.ack && other !== null ? distance(other, tcp.acknowledges) - 1 : -1,
    syn: tcp.syn,
    fin: tcp.fin,
    rst: tcp.rst,
    repeated: carries && ends <= end[direction],
  });
  if (carries) end[direction] = Math.max(end[direction], ends);
}

/** From one sequence number to another, which wrap at 2^32. */
const distance = (from: number, to: number) => (to - from) | 0;
