import { libc } from './libc.ts';

/** What the kernel knows of a TCP connection (struct tcp_info, include/uapi/linux/tcp.h). Times in milliseconds. */
export type TcpInfo = {
  /** false once the connection has failed or both sides have ended it. */
  open: boolean;
  /** The smoothed round-trip time: right after the connect, that of the SYN alone. */
  rttMs: number;
  minRttMs: number;
  /** Bytes of a full segment of ours, and of the largest of the peer's that came (536 before a larger one). */
  sendMss: number;
  receiveMss: number;
  /** Segments sent again, the SYN among them. */
  retransmits: number;
  /** The congestion window, in segments. */
  sndCwnd: number;
  segmentsIn: number;
  segmentsOut: number;
  /** Bytes that arrived, whether they were read or not, and the segments that brought them. */
  bytesReceived: number;
  dataSegmentsIn: number;
  /** Segments that arrived before an earlier one; null in kernels before 5.4. */
  outOfOrder: number | null;
};

const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const TCP_CLOSE = 7;
const SIZE = 256;
/** The fields up to data_segs_out are there since Linux 4.6; rcv_ooopack since 5.4. */
const LEAST_SIZE = 160;
const OUT_OF_ORDER_AT = 224;
/** What stands in min_rtt before there is any. */
const NO_RTT = 0xffff_ffff;

const value = Buffer.alloc(SIZE);
const length = Buffer.alloc(4);

/** Asks the kernel about an open socket; null where it cannot be asked or the descriptor is no TCP socket. */
export function readTcpInfo(fd: number): TcpInfo | null {
  const system = libc();
  if (!system || fd < 0) return null;
  length.writeUInt32LE(SIZE);
  if (system.getsockopt(fd, IPPROTO_TCP, TCP_INFO, value, length) !== 0) return null;
  return parseTcpInfo(value.subarray(0, length.readUInt32LE()));
}

/** Reads the structure as a little-endian kernel fills it; null where an old kernel gave too little of it. */
export function parseTcpInfo(info: Buffer): TcpInfo | null {
  if (info.length < LEAST_SIZE) return null;
  const minRtt = info.readUInt32LE(148);
  const rttMs = info.readUInt32LE(68) / 1_000;
  return {
    open: info[0] !== TCP_CLOSE,
    rttMs,
    minRttMs: minRtt === NO_RTT ? rttMs : minRtt / 1_000,
    sendMss: info.readUInt32LE(16),
    receiveMss: info.readUInt32LE(20),
    retransmits: info.readUInt32LE(100),
    sndCwnd: info.readUInt32LE(80),
    segmentsIn: info.readUInt32LE(140),
    segmentsOut: info.readUInt32LE(136),
    bytesReceived: Number(info.readBigUInt64LE(128)),
    dataSegmentsIn: info.readUInt32LE(152),
    outOfOrder: info.length >= OUT_OF_ORDER_AT + 4 ? info.readUInt32LE(OUT_OF_ORDER_AT) : null,
  };
}
