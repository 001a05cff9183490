import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Losses } from '#tests/lab/drop-rules.ts';
import { parseTcp } from '#tests/lab/packet.ts';
import { readPcap } from '#tests/lab/pcap.ts';
import { captureOf, PROBER, SERVER, tcpPacket } from './packets.ts';

const syn = (port: number) => tcpPacket({ port, flags: 'S' });
const data = (port: number) => tcpPacket({ from: 'server', port, acknowledges: 1, payload: Buffer.alloc(100) });

describe('a packet', () => {
  it('is read with its ports, numbers, flags and payload', () => {
    const made = { port: 41_000, sequence: 4_294_967_295, acknowledges: 7, flags: 'F', payload: Buffer.from('ab') };
    expect(parseTcp(tcpPacket(made))).toMatchObject({
      ...{ from: PROBER, to: SERVER, fromPort: 41_000, toPort: 443, sequence: 4_294_967_295, acknowledges: 7 },
      ...{ syn: false, ack: true, fin: true, rst: false, payload: Buffer.from('ab') },
    });
  });

  it('may be anything: what is no TCP is null, and nothing throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        for (const first of [bytes[0] ?? 0, 0x45, 0x60]) {
          const packet = Buffer.from(bytes);
          if (packet.length > 9) packet[9] = 6;
          if (packet.length > 0) packet[0] = first;
          parseTcp(packet);
        }
      }),
    );
  });
});

describe('a capture', () => {
  it('keeps nanoseconds, across a second too', () => {
    const packets = readPcap(
      captureOf([
        [999.999_001, syn(1)],
        [1_000.000_5, syn(2)],
      ]),
    );
    const [first, second] = packets.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeCloseTo(0.001_499, 6);
  });

  it('leaves out a last packet that was cut', () => {
    expect(
      readPcap(
        captureOf([
          [1, syn(1)],
          [2, syn(2)],
        ]).subarray(0, -1),
      ),
    ).toHaveLength(1);
  });

  it('that is none is refused with a reason', () => {
    expect(() => readPcap(Buffer.alloc(10))).toThrow('at least 24 bytes');
    expect(() => readPcap(Buffer.alloc(30))).toThrow('no little-endian pcap file');
  });
});

describe('the line', () => {
  it('loses the first SYN of each connection that a rule names, and lets its repetition through', () => {
    const losses = new Losses();
    losses.replace({ what: 'syn', connections: 2 });
    const lost = [1, 1, 2, 3, 2].map((port) => losses.loses(syn(port), 'prober'));
    expect(lost).toEqual([true, false, true, false, false]);
  });

  it('loses the nth segment of the next connection once, and none of others', () => {
    const losses = new Losses();
    losses.replace({ what: 'server-data', nth: 2 });
    expect(losses.loses(data(9), 'server')).toBe(false);
    expect(losses.loses(syn(10), 'prober')).toBe(false);
    const lost = [data(9), data(10), data(9), data(10), data(10)].map((packet) => losses.loses(packet, 'server'));
    expect(lost).toEqual([false, false, false, true, false]);
  });

  it('forgets a rule, and starts a new one from the beginning', () => {
    const losses = new Losses();
    losses.replace({ what: 'syn' });
    losses.replace(null);
    expect(losses.loses(syn(1), 'prober')).toBe(false);
    losses.replace({ what: 'syn' });
    expect([losses.loses(syn(1), 'prober'), losses.loses(syn(2), 'prober')]).toEqual([true, false]);
  });
});
