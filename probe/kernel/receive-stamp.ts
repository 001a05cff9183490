import { processNow } from './arrival-ring.ts';
import type { Libc } from './libc.ts';

const SOL_SOCKET = 1;
const SO_TIMESTAMPNS = 35;
const MSG_PEEK = 0x02;
const MSG_TRUNC = 0x20;
const MSG_DONTWAIT = 0x40;
const CLOCK_REALTIME = 0;
/** struct msghdr of 64-bit Linux, where its fields lie, and room for one control message. */
const MSGHDR_BYTES = 56;
const IOV_AT = 16;
const IOV_COUNT_AT = 24;
const CONTROL_AT = 32;
const CONTROL_LENGTH_AT = 40;
const CONTROL_BYTES = 128;
const CMSG_TYPE_AT = 12;
const CMSG_DATA_AT = 16;
/** Unread bytes that are looked past; a window of the kernel that grew beyond it gives the stamp of an earlier segment. */
const PEEKED_BYTES = 262_144;
/** A stamp older than this (ms) is none of this arrival: the wall clock was set meanwhile. */
const OLDEST_MS = 60_000;

/** The wall clock is read between two looks at ours, until these are so close (ms), or so many times. */
const MOST_APART_MS = 0.02;
const MOST_TRIES = 5;

const AF_INET = 2;
const SOCK_DGRAM_CLOEXEC = 0x80002;

/**
 * Keeps the kernel stamping for as long as this process lives, by an unused socket. It begins with the first
 * socket that wants stamps and ends with the last, and each change rewrites kernel code on all processors, which stalls
 * them for milliseconds: once for every probe, where one runs at a time.
 */
export function keepStamping(system: Libc): void {
  stampArrivals(system, system.socket(AF_INET, SOCK_DGRAM_CLOEXEC, 0));
}

/** Asks the kernel to stamp each segment of a socket as it comes in. */
export function stampArrivals(system: Libc, fd: number): void {
  const on = Buffer.alloc(4);
  on.writeInt32LE(1);
  system.setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, on, on.length);
}

/**
 * Reads when the newest unread segment of a socket came in, by the kernel's own stamp, without taking a byte of it
 * (recvmsg with MSG_PEEK; MSG_TRUNC copies nothing).
 */
export class ReceiveStamps {
  readonly #system: Libc;
  readonly #message = Buffer.alloc(MSGHDR_BYTES);
  readonly #control = Buffer.alloc(CONTROL_BYTES);
  readonly #vector = Buffer.alloc(16);
  readonly #bytes = Buffer.alloc(PEEKED_BYTES);
  readonly #wall = Buffer.alloc(16);

  constructor(system: Libc) {
    this.#system = system;
    this.#vector.writeBigUInt64LE(system.addressOf(this.#bytes), 0);
    this.#vector.writeBigUInt64LE(BigInt(PEEKED_BYTES), 8);
    this.#message.writeBigUInt64LE(system.addressOf(this.#vector), IOV_AT);
    this.#message.writeBigUInt64LE(1n, IOV_COUNT_AT);
    this.#message.writeBigUInt64LE(system.addressOf(this.#control), CONTROL_AT);
  }

  /** When it came in, on the clock of `processNow`; now, where its bytes were read in the meantime. */
  newest(fd: number): number {
    this.#message.writeBigUInt64LE(BigInt(CONTROL_BYTES), CONTROL_LENGTH_AT);
    const read = this.#system.recvmsg(fd, this.#message, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
    const stamped = read > 0 && this.#control.readInt32LE(CMSG_TYPE_AT) === SO_TIMESTAMPNS;
    if (!stamped || this.#message.readUInt32LE(CONTROL_LENGTH_AT) === 0) return processNow();
    const { now, wall } = this.#bothClocks();
    const age = wall - milliseconds(this.#control, CMSG_DATA_AT);
    return age >= 0 && age < OLDEST_MS ? now - age : now;
  }

  /** Both clocks at one moment: a thread that has to wait for a processor between two looks would make stamps early. */
  #bothClocks(): { now: number; wall: number } {
    let best = { now: 0, wall: 0, apart: Number.POSITIVE_INFINITY };
    for (let tries = 0; tries < MOST_TRIES && best.apart > MOST_APART_MS; tries += 1) {
      const before = processNow();
      this.#system.clockGettime(CLOCK_REALTIME, this.#wall);
      const now = processNow();
      if (now - before < best.apart) best = { now, wall: milliseconds(this.#wall, 0), apart: now - before };
    }
    return best;
  }
}

/** A struct timespec. Doubles hold today's wall clock in milliseconds to a quarter of a microsecond. */
function milliseconds(buffer: Buffer, at: number): number {
  const seconds = buffer.readUInt32LE(at) + buffer.readUInt32LE(at + 4) * 4_294_967_296;
  return seconds * 1_000 + buffer.readUInt32LE(at + 8) / 1e6;
}
