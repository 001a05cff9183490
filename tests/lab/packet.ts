/** The TCP part of one IP packet. `payload` is a view into the packet. */
export type TcpPacket = {
  from: string;
  to: string;
  fromPort: number;
  toPort: number;
  sequence: number;
  acknowledges: number;
  syn: boolean;
  ack: boolean;
  fin: boolean;
  rst: boolean;
  payload: Buffer;
};

const TCP = 6;
const TCP_HEADER_BYTES = 20;

/** Reads an IPv4 or IPv6 packet; null where it holds no whole TCP header at a known place. */
export function parseTcp(packet: Buffer): TcpPacket | null {
  const ip = parseIp(packet);
  if (!ip || packet.length < ip.at + TCP_HEADER_BYTES) return null;
  const tcp = packet.subarray(ip.at, Math.min(ip.end, packet.length));
  const headerBytes = (tcp.readUInt8(12) >> 4) * 4;
  if (headerBytes < TCP_HEADER_BYTES || headerBytes > tcp.length) return null;
  const flags = tcp.readUInt8(13);
  return {
    from: ip.from,
    to: ip.to,
    fromPort: tcp.readUInt16BE(0),
    toPort: tcp.readUInt16BE(2),
    sequence: tcp.readUInt32BE(4),
    acknowledges: tcp.readUInt32BE(8),
    syn: (flags & 2) !== 0,
    ack: (flags & 16) !== 0,
    fin: (flags & 1) !== 0,
    rst: (flags & 4) !== 0,
    payload: tcp.subarray(headerBytes),
  };
}

type Ip = { from: string; to: string; at: number; end: number };

function parseIp(packet: Buffer): Ip | null {
  const version = (packet[0] ?? 0) >> 4;
  if (version === 4 && packet.length >= 20 && packet[9] === TCP) {
    const at = ((packet[0] ?? 0) & 15) * 4;
    const end = packet.readUInt16BE(2);
    if (at < 20 || end < at) return null;
    return { from: dotted(packet.subarray(12, 16)), to: dotted(packet.subarray(16, 20)), at, end };
  }
  if (version === 6 && packet.length >= 40 && packet[6] === TCP) {
    const [from, to] = [packet.toString('hex', 8, 24), packet.toString('hex', 24, 40)];
    return { from, to, at: 40, end: 40 + packet.readUInt16BE(4) };
  }
  return null;
}

const dotted = (bytes: Uint8Array) => Array.from(bytes).join('.');
