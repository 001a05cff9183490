import { packetHeader, pcapHeader } from '#tests/lab/pcap.ts';

export const PROBER = '10.99.0.1';
export const SERVER = '10.99.0.2';

type Made = {
  from?: 'prober' | 'server';
  port?: number;
  sequence?: number;
  acknowledges?: number | null;
  flags?: string;
  payload?: Buffer;
};

/** An IPv4 packet with TCP, as it goes over the line; checksums are left zero, for nobody here reads them. */
export function tcpPacket(made: Made): Buffer {
  const { from = 'prober', port = 40_000, sequence = 0, acknowledges = null, flags = '' } = made;
  const payload = made.payload ?? Buffer.alloc(0);
  const ends = [PROBER, SERVER].map((address) => address.split('.').map(Number));
  const ports = [port, 443];
  if (from === 'server') for (const pair of [ends, ports]) pair.reverse();
  const packet = Buffer.alloc(40);
  packet[0] = 0x45;
  packet.writeUInt16BE(40 + payload.length, 2);
  packet[9] = 6;
  packet.set(ends.flat(), 12);
  packet.writeUInt16BE(ports[0] ?? 0, 20);
  packet.writeUInt16BE(ports[1] ?? 0, 22);
  packet.writeUInt32BE(sequence >>> 0, 24);
  packet.writeUInt32BE((acknowledges ?? 0) >>> 0, 28);
  packet[32] = 0x50;
  packet[33] = (flags.includes('S') ? 2 : 0) | (flags.includes('F') ? 1 : 0) | (acknowledges === null ? 0 : 16);
  return Buffer.concat([packet, payload]);
}

/** A capture of packets at these instants (ms). */
export function captureOf(packets: [number, Buffer][]): Buffer {
  const pieces = packets.flatMap(([at, ip]) => {
    const seconds = 1_700_000_000 + Math.floor(at / 1_000);
    return [packetHeader(seconds, Math.round((at % 1_000) * 1e6), ip.length), ip];
  });
  return Buffer.concat([pcapHeader(), ...pieces]);
}

/** A TLS record of this type and so many bytes in all; `body` begins its payload. */
export function record(type: number, bytes: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const made = Buffer.alloc(bytes);
  made[0] = type;
  made[1] = 3;
  made[2] = 3;
  made.writeUInt16BE(bytes - 5, 3);
  body.copy(made, 5);
  return made;
}
