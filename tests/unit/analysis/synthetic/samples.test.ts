import { describe, expect, it } from 'vitest';
import { sharedNoiseOf } from '#analysis/synthetic/shared-noise.ts';
import { meanOf, probe, quietEvent, quietSeries, quietTarget } from './quiet-series.ts';

const HOUR = 3_600;
/** Monday 2026-01-05 00:00 in China. */
const MONDAY = 1_767_542_400;

describe('samples of a quiet series', () => {
  it('are round trips and work: connect 1, TLS 2 and cryptography, first byte 1 and the server', () => {
    const samples = probe(quietSeries(), [], 200);
    expect(meanOf(samples, 'tcpMs')).toBeCloseTo(30, 1);
    expect(meanOf(samples, 'tlsMs')).toBeCloseTo(65, 1);
    expect(meanOf(samples, 'firstByteMs')).toBeCloseTo(40, 1);
  });

  it('move connect, TLS and first byte when the route changes', () => {
    const samples = probe(quietSeries(), [quietEvent({ start: 3_000, effect: { rttFactor: 1.5 } })], 200);
    expect(meanOf(samples, 'tcpMs', 3_000)).toBeCloseTo(45, 1);
    expect(meanOf(samples, 'tlsMs', 3_000)).toBeCloseTo(95, 1);
    expect(meanOf(samples, 'firstByteMs', 3_000)).toBeCloseTo(55, 1);
    expect(meanOf(samples, 'tlsMs', 0, 3_000)).toBeCloseTo(65, 1);
  });

  it('move TLS alone by a round trip, or by the same milliseconds, until the event ends', () => {
    const trip = quietEvent({ cause: 'tls', start: 3_000, end: 6_000, effect: { roundTrips: 1 } });
    const samples = probe(
      quietSeries(),
      [trip, quietEvent({ cause: 'server', start: 9_000, effect: { serverMs: 12 } })],
      200,
    );
    expect(meanOf(samples, 'tlsMs', 3_000, 6_000)).toBeCloseTo(95, 1);
    expect(meanOf(samples, 'tlsMs', 6_000, 9_000)).toBeCloseTo(65, 1);
    expect(meanOf(samples, 'tlsMs', 9_000)).toBeCloseTo(77, 1);
    expect(meanOf(samples, 'tcpMs')).toBeCloseTo(30, 1);
  });

  it('are two modes where a share of handshakes is resumed', () => {
    const model = quietSeries({ target: quietTarget({ resumedShare: 0.6 }) });
    const tls = probe(model, [quietEvent({ start: 60_000, effect: { resumedShare: 0 } })], 2_000).flatMap((sample) =>
      sample.ok ? { at: sample.at, resumed: sample.tlsMs < 40 } : [],
    );
    const share = (some: { resumed: boolean }[]) => some.filter(({ resumed }) => resumed).length / some.length;
    expect(share(tls.filter(({ at }) => at < 60_000))).toBeCloseTo(0.6, 1);
    expect(share(tls.filter(({ at }) => at >= 60_000))).toBe(0);
  });

  it('have retransmissions of 200 ms in the handshake and of 1 s and 3 s in connect at steady rates', () => {
    const samples = probe(quietSeries({ loss: 0.1, loss1s: 0.05, loss3s: 0.01 }), [], 10_000).filter(
      (sample) => sample.ok,
    );
    const share = (test: (sample: (typeof samples)[number]) => boolean) => samples.filter(test).length / samples.length;
    expect(share(({ tlsMs }) => tlsMs > 260 && tlsMs < 320)).toBeCloseTo(0.1, 1);
    expect(share(({ tcpMs }) => Math.abs(tcpMs - 1_030) < 5)).toBeCloseTo(0.05, 1);
    expect(share(({ tcpMs }) => Math.abs(tcpMs - 3_030) < 5)).toBeCloseTo(0.01, 2);
  });

  it('rise in the evening of China, on weekends by another height', () => {
    const model = quietSeries({ dailyPeak: { weekday: 0.2, weekend: 0.4, hour: 21, widthHours: 3 } });
    const at = (hour: number) => meanOf(probe(model, [], 2, MONDAY + hour * HOUR), 'tcpMs');
    expect(at(12)).toBeCloseTo(30, 0);
    expect(at(21)).toBeCloseTo(36, 0);
    expect(at(5 * 24 + 20.3)).toBeCloseTo(42, 0);
  });

  it('leave failed probes without connect, TLS and first byte', () => {
    const samples = probe(quietSeries(), [quietEvent({ kind: 'failures', end: 600, effect: { failing: 1 } })], 20);
    expect(samples.slice(0, 10).every((sample) => !sample.ok && !('tlsMs' in sample))).toBe(true);
    expect(samples.slice(10).every((sample) => sample.ok)).toBe(true);
  });

  it('touch no more samples than an event of one or two odd ones may', () => {
    const odd = quietEvent({ kind: 'odd', end: 6_000, maxSamples: 2, effect: { rttFactor: 3 } });
    const high = probe(quietSeries(), [odd], 50).filter((sample) => sample.ok && sample.tlsMs > 100);
    expect(high).toHaveLength(2);
  });

  it('keep the mean when their variance changes, and TLS when DNS or first byte change', () => {
    const wide = quietEvent({ kind: 'variance', effect: { spread: 3 } });
    expect(meanOf(probe(quietSeries({ jitter: 0.05 }), [wide], 5_000), 'tlsMs')).toBeCloseTo(65, 0);
    const others = [quietEvent({ kind: 'dns', effect: { dnsFactor: 9 } }), quietEvent({ effect: { firstByteMs: 99 } })];
    const samples = probe(quietSeries(), others, 500);
    expect(meanOf(samples, 'tlsMs')).toBeCloseTo(65, 1);
    expect(meanOf(samples, 'firstByteMs')).toBeCloseTo(139, 0);
  });

  it('are one value in all columns where only a ping is known', () => {
    const [sample] = probe(quietSeries({ target: quietTarget({ echo: true }) }), [], 1);
    expect(sample).toMatchObject({ tcpMs: sample?.ok && sample.tlsMs, firstByteMs: sample?.ok && sample.tlsMs });
  });
});

describe('noise in common', () => {
  it('is the same at the same instant, with mean 0 and deviation 1', () => {
    const [a, b] = [sharedNoiseOf(4, 600), sharedNoiseOf(4, 600)];
    a(12_345);
    expect(a(99_999)).toBe(b(99_999));
    const values = Array.from({ length: 20_000 }, (_, index) => a(index * 137));
    const square = values.reduce((sum, value) => sum + value * value, 0) / values.length;
    expect(square).toBeCloseTo(1, 1);
  });
});
