import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTcpInfo, readTcpInfo } from '#probe/kernel/tcp-info.ts';

/** A struct tcp_info with these 32-bit fields set. */
function info(fields: Record<number, number>, length = 256): Buffer {
  const bytes = Buffer.alloc(length);
  for (const [at, value] of Object.entries(fields)) bytes.writeUInt32LE(value, Number(at));
  return bytes;
}

test('the fields are read where the kernel puts them, microseconds as milliseconds', () => {
  const fields = {
    16: 1_460,
    20: 1_448,
    68: 28_150,
    80: 10,
    100: 2,
    128: 4_096,
    136: 7,
    140: 9,
    148: 28_004,
    152: 5,
    224: 3,
  };
  expect(parseTcpInfo(info(fields))).toEqual({
    open: true,
    rttMs: 28.15,
    minRttMs: 28.004,
    sendMss: 1_460,
    receiveMss: 1_448,
    retransmits: 2,
    sndCwnd: 10,
    segmentsIn: 9,
    segmentsOut: 7,
    bytesReceived: 4_096,
    dataSegmentsIn: 5,
    outOfOrder: 3,
  });
});

test('a closed connection is told', () => {
  expect(parseTcpInfo(info({ 0: 7 }))?.open).toBe(false);
});

test('before the kernel has a minimum it is the round-trip time', () => {
  expect(parseTcpInfo(info({ 68: 500, 148: 0xffff_ffff }))?.minRttMs).toBe(0.5);
});

test('an old kernel gives less: no count of segments out of order, or nothing at all', () => {
  expect(parseTcpInfo(info({}, 192))?.outOfOrder).toBeNull();
  expect(parseTcpInfo(info({}, 104))).toBeNull();
});

test('any bytes are read or refused, never a crash', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void parseTcpInfo(Buffer.from(bytes))));
});

test('a descriptor that is none, or no socket, tells nothing', () => {
  expect(readTcpInfo(-1)).toBeNull();
  expect(readTcpInfo(1_000_000)).toBeNull();
  expect(readTcpInfo(0)).toBeNull();
});
