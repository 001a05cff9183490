// A process of the lab: captures the IP packets of the namespace that it is started in, both directions, with the kernel's
// stamps. Argument: the file. It says `ready`; when its input ends it takes in what the socket still holds, writes the
// file (pcap with nanoseconds) and says how many packets the kernel could not keep for it.
import { closeSync, openSync, writeSync } from 'node:fs';
import { addressOf, checked, linux } from './linux.ts';
import { packetHeader, pcapHeader } from './pcap.ts';

const [file = ''] = process.argv.slice(2);

const AF_PACKET = 17;
const SOCK_DGRAM_NONBLOCK = 2 | 0o4000;
const ETH_P_ALL_BIG_ENDIAN = 0x0300;
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const SO_RCVBUFFORCE = 33;
const SO_TIMESTAMPNS = 35;
const SOL_PACKET = 263;
const PACKET_STATISTICS = 6;
const SOCKET_BUFFER_BYTES = 256 * 1024 * 1024;
const PACKET_BYTES = 2_048;
const CONTROL_BYTES = 64;
/** Where a control message (struct cmsghdr, 64 bit) has its seconds and nanoseconds. */
const SECONDS_AT = 16;
const NANOSECONDS_AT = 24;
const FLUSH_BYTES = 4 * 1024 * 1024;
const POLLIN = 1;
/** How long packets gather: less where the socket holds only what an ordinary user may ask for. */
const NAP_MS = { large: 20, small: 2 };

const packet = Buffer.alloc(PACKET_BYTES);
const control = Buffer.alloc(CONTROL_BYTES);
const vector = Buffer.alloc(16);
vector.writeBigUInt64LE(addressOf(packet), 0);
/** struct msghdr: no name, one vector, room for control messages. */
const message = Buffer.alloc(56);
message.writeBigUInt64LE(addressOf(vector), 16);
message.writeBigUInt64LE(1n, 24);
message.writeBigUInt64LE(addressOf(control), 32);

function openSocket(): { fd: number; napMs: number } {
  const fd = checked(linux.socket(AF_PACKET, SOCK_DGRAM_NONBLOCK, ETH_P_ALL_BIG_ENDIAN), 'packet socket');
  const value = Buffer.alloc(4);
  value.writeInt32LE(1);
  checked(linux.setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, value, 4), 'SO_TIMESTAMPNS');
  value.writeInt32LE(SOCKET_BUFFER_BYTES);
  if (linux.setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, value, 4) === 0) return { fd, napMs: NAP_MS.large };
  // Root in a user namespace alone may not: the kernel cuts it to net.core.rmem_max.
  checked(linux.setsockopt(fd, SOL_SOCKET, SO_RCVBUF, value, 4), 'SO_RCVBUF');
  return { fd, napMs: NAP_MS.small };
}

let waiting: Buffer[] = [pcapHeader()];
let waitingBytes = 0;
const output = openSync(file, 'w');

function flush(): void {
  writeSync(output, Buffer.concat(waiting));
  waiting = [];
  waitingBytes = 0;
}

/** Takes in all that the socket holds now. */
function takeIn(fd: number): void {
  for (;;) {
    // Written again each time: a buffer that only the kernel still reads would be collected as garbage.
    vector.writeBigUInt64LE(BigInt(PACKET_BYTES), 8);
    message.writeBigUInt64LE(BigInt(CONTROL_BYTES), 40);
    const length = linux.recvmsg(fd, message, 0);
    if (length <= 0) return;
    const bytes = Buffer.from(packet.subarray(0, length));
    waiting.push(packetHeader(control.readUInt32LE(SECONDS_AT), control.readUInt32LE(NANOSECONDS_AT), length), bytes);
    waitingBytes += length;
    if (waitingBytes > FLUSH_BYTES) flush();
  }
}

/** Packets that found no room. */
function missedBy(fd: number): number {
  const statistics = Buffer.alloc(8);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(8);
  checked(linux.getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, statistics, length), 'PACKET_STATISTICS');
  return statistics.readUInt32LE(4);
}

const { fd, napMs } = openSocket();
// Packets wait in the socket with their stamps: taking many at once leaves the processor to those we watch.
const polled = Buffer.alloc(8);
polled.writeInt32LE(0, 0);
polled.writeInt16LE(POLLIN, 4);
const nap = Buffer.alloc(16);
nap.writeBigInt64LE(BigInt(napMs * 1e6), 8);
writeSync(1, 'ready\n');
do {
  linux.ppoll(polled, 1, nap, null);
  takeIn(fd);
} while (polled.readInt16LE(6) === 0);
flush();
closeSync(output);
writeSync(1, `${missedBy(fd)}\n`);
process.exit(0);
