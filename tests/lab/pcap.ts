/** One captured packet: `at` in ms since the second of the first one; the IP packet. */
export type CapturedPacket = { at: number; ip: Buffer };

const MAGIC_MICROSECONDS = 0xa1b2c3d4;
const MAGIC_NANOSECONDS = 0xa1b23c4d;
const LINKTYPE_ETHERNET = 1;
const LINKTYPE_RAW = 101;
const LINKTYPE_IPV4 = 228;
const HEADER_BYTES = 24;
const PACKET_HEADER_BYTES = 16;
const ETHERNET_BYTES = 14;
/** Longer than any packet here. */
const SNAP_BYTES = 65_535;

/** Header of a pcap file of raw IP packets with nanoseconds. */
export function pcapHeader(): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MAGIC_NANOSECONDS, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(SNAP_BYTES, 16);
  header.writeUInt32LE(LINKTYPE_RAW, 20);
  return header;
}

/** What stands in front of each packet. */
export function packetHeader(seconds: number, nanoseconds: number, length: number): Buffer {
  const header = Buffer.alloc(PACKET_HEADER_BYTES);
  header.writeUInt32LE(seconds, 0);
  header.writeUInt32LE(nanoseconds, 4);
  header.writeUInt32LE(length, 8);
  header.writeUInt32LE(length, 12);
  return header;
}

/**
 * Reads a little-endian pcap file (micro- or nanoseconds; raw IP or Ethernet), ours or tcpdump's. A cut last packet is
 * left out. Throws an Error that says what is wrong with any other file.
 */
export function readPcap(file: Buffer): CapturedPacket[] {
  if (file.length < HEADER_BYTES)
    throw new Error(`a pcap file has at least ${HEADER_BYTES} bytes, this ${file.length}`);
  const magic = file.readUInt32LE(0);
  if (magic !== MAGIC_MICROSECONDS && magic !== MAGIC_NANOSECONDS) {
    throw new Error(`no little-endian pcap file: it begins with ${magic.toString(16)}`);
  }
  const ipAt = startOfIp(file.readUInt32LE(20) & 0xffff);
  const perMs = magic === MAGIC_NANOSECONDS ? 1e6 : 1e3;
  const packets: CapturedPacket[] = [];
  let origin: number | null = null;
  for (let at = HEADER_BYTES; at + PACKET_HEADER_BYTES <= file.length; ) {
    const length = file.readUInt32LE(at + 8);
    const start = at + PACKET_HEADER_BYTES;
    if (start + length > file.length) break;
    // Seconds since 1970 with nanoseconds exceed what a number holds exactly: count from the first one.
    const seconds = file.readUInt32LE(at);
    origin ??= seconds;
    const ms = (seconds - origin) * 1_000 + file.readUInt32LE(at + 4) / perMs;
    packets.push({ at: ms, ip: file.subarray(start + ipAt, start + length) });
    at = start + length;
  }
  return packets;
}

function startOfIp(linkType: number): number {
  if (linkType === LINKTYPE_RAW || linkType === LINKTYPE_IPV4) return 0;
  if (linkType === LINKTYPE_ETHERNET) return ETHERNET_BYTES;
  throw new Error(`link type ${linkType} is none that the lab captures`);
}
