import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Engine } from '#server/detection/detection.ts';
import { packSamples, unpackSamples } from '#server/detection/tick.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';

const FROM = 1_795_000_000;
const times = { tcp: 40.123, tls: 85.001, firstByte: null };

describe('samples of a tick', () => {
  it('come back from the log as they were', () => {
    const samples = [
      { index: 0, sample: { timestamp: FROM, ...times, ok: true } },
      { index: 1, sample: { timestamp: FROM + 1, ...times, ok: true, refused: true, ownDelay: 0 } },
      { index: 2, sample: { timestamp: FROM + 1, ...times, ok: true, refused: false, ownDelay: 12.345 } },
      { index: 3, sample: { timestamp: FROM + 2, tcp: null, tls: null, firstByte: null, ok: false } },
      { index: 4, sample: { timestamp: FROM + 3, ...times, ok: true, ownDelay: 67, clean: false } },
    ];
    expect(unpackSamples(FROM, packSamples({ from: FROM, samples }))).toStrictEqual(samples);
  });

  it('have own delays of at most 67 s, when they are consumed and when they are replayed', () => {
    const sample = { timestamp: FROM, ...times, ok: true, ownDelay: 300_000 };
    const vantage = {
      id: 'v',
      country: 'CN',
      region: 'CN-BJ',
      city: null,
      carrier: 'telecom',
      asn: null,
      access: null,
    };
    const labels = { ...vantage, name: 'v', number: 1, deleted: false } as unknown as VantageLabels;
    const read = [{ targetId: 't', vantageId: 'v', sample }];
    const tick = new Engine().prepare({ seq: 1, from: FROM, to: FROM + 60 }, read, new Map([['v', labels]]));
    const [consumed] = tick.samples;
    expect(consumed?.sample).toEqual({ ...sample, ownDelay: 67_108.863 });
    expect(unpackSamples(FROM, packSamples(tick))).toStrictEqual(tick.samples);
  });

  it('of logs of before, whose last number was 1 or 0, are read', () => {
    const old = Int32Array.from([0, 5, 40_123, 85_001, -1, 1, 7, 6, -1, -1, -1, 0]);
    expect(unpackSamples(FROM, zstdCompressSync(Buffer.from(old.buffer)))).toStrictEqual([
      { index: 0, sample: { timestamp: FROM + 5, ...times, ok: true } },
      { index: 7, sample: { timestamp: FROM + 6, tcp: null, tls: null, firstByte: null, ok: false } },
    ]);
  });
});
