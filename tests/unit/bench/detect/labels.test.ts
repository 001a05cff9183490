import { describe, expect, it } from 'vitest';
import type { SeriesEvent } from '#analysis/synthetic/event.ts';
import type { SeriesModel } from '#analysis/synthetic/series-model.ts';
import { judgedCause } from '../../../bench/detect/world/draw-context.ts';
import { type EventLabel, labelEvents } from '../../../bench/detect/world/labels.ts';
import { meanOf, probe, quietEvent, quietSeries, quietTarget } from '../../analysis/synthetic/quiet-series.ts';

const HOUR = 3_600;
const DAY = 86_400;
const TO = 10 * DAY;

function label(event: Partial<SeriesEvent>, model: SeriesModel = quietSeries()): EventLabel[] {
  const events = [quietEvent({ start: 5 * DAY, ...event })];
  const instants = Array.from({ length: TO / 60 }, (_, index) => index * 60);
  return labelEvents({ model, warmUpEnd: DAY, to: TO, events, instants });
}

describe('labels', () => {
  it('say the kind, the effect on TLS time and the cause', () => {
    expect(label({ effect: { rttFactor: 1.2 } })).toEqual([
      {
        type: 'event',
        target: 't1.example',
        region: 'Hubei',
        carrier: 'unicom',
        kind: 'regression',
        start: 5 * DAY,
        end: null,
        cause: 'network',
        causeJudged: true,
        effectMs: 12,
        effectRatio: 0.185,
        samples: 1_440,
        incident: 'one',
        hitShare: 1,
        judged: true,
      },
    ]);
    expect(label({ effect: { rttFactor: 0.8 } })[0]).toMatchObject({
      kind: 'improvement',
      effectMs: -12,
      judged: true,
    });
  });

  it('agree with the samples, whatever the cause', () => {
    const model = quietSeries({ target: quietTarget({ resumedShare: 0.5 }) });
    const effects = [
      { rttFactor: 1.4 },
      { rttMs: -4 },
      { serverMs: 20 },
      { roundTrips: 1 },
      { resumedShare: 0 },
      { resumedShare: 0.9 },
      { roundTrips: 0.5, serverMs: 3 },
    ];
    for (const effect of effects) {
      const samples = probe(model, [quietEvent({ start: 4 * DAY, effect })], (8 * DAY) / 60);
      const moved = meanOf(samples, 'tlsMs', 4 * DAY) - meanOf(samples, 'tlsMs', 0, 4 * DAY);
      expect(label({ effect }, model)[0]?.effectMs, JSON.stringify(effect)).toBeCloseTo(moved, -0.3);
    }
  });

  it('leave small and short ones unjudged', () => {
    const spike = { kind: 'spike', end: 5 * DAY + HOUR } as const;
    expect(label({ effect: { rttMs: 1.4 } })[0]).toMatchObject({ judged: false, notJudged: 'small' });
    expect(label({ ...spike, effect: { rttFactor: 1.3 } })[0]).toMatchObject({ judged: false, notJudged: 'small' });
    expect(label({ ...spike, effect: { rttFactor: 1.4 } })[0]).toMatchObject({ judged: true, samples: 60 });
    expect(label({ ...spike, end: 5 * DAY + 100, effect: { rttFactor: 2 } })[0]).toMatchObject({
      notJudged: 'few-samples',
    });
    expect(label({ end: 5 * DAY + 20 * HOUR, effect: { rttFactor: 2 } })[0]).toMatchObject({ notJudged: 'short' });
    const near = quietSeries({ rttMs: 4 });
    expect(label({ ...spike, effect: { rttFactor: 2 } }, near)[0]).toMatchObject({ effectMs: 8, notJudged: 'small' });
  });

  it('leave the warm-up and the last day unjudged', () => {
    expect(label({ start: DAY - 60, effect: { rttFactor: 2 } })[0]).toMatchObject({ notJudged: 'warm-up' });
    expect(label({ start: TO - 20 * HOUR, effect: { rttFactor: 2 } })[0]).toMatchObject({ notJudged: 'late' });
  });

  it('name the way back of a shift, which is not judged', () => {
    const [shift, back] = label({ end: 7 * DAY, effect: { rttFactor: 1.5 } });
    expect(shift).toMatchObject({ kind: 'regression', judged: true, end: 7 * DAY });
    expect(back).toMatchObject({
      kind: 'improvement',
      start: 7 * DAY,
      effectMs: -30,
      notJudged: 'rollback',
      end: null,
    });
  });

  it('measure an event against the level that an earlier shift left', () => {
    const events = [
      quietEvent({ start: 2 * DAY, effect: { rttFactor: 2 } }),
      quietEvent({ start: 5 * DAY, effect: { rttFactor: 1.5 } }),
    ];
    const instants = Array.from({ length: TO / 60 }, (_, index) => index * 60);
    const labels = labelEvents({ model: quietSeries(), warmUpEnd: DAY, to: TO, events, instants });
    expect(labels.map(({ effectMs }) => effectMs)).toEqual([60, 60]);
  });

  it('call work that no first byte shows a matter of the handshake', () => {
    expect(judgedCause('server', { serverMs: 40, firstByteMs: 30 })).toBe('server');
    expect(judgedCause('server', { serverMs: 40 })).toBe('tls');
    expect(judgedCause('network', { rttMs: 40 })).toBe('network');
  });

  it('call drifts, variance, DNS and first byte noise, and end a drift where its level is reached', () => {
    const drift = label({
      kind: 'drift',
      cause: null,
      shape: 'slope',
      rampSeconds: DAY,
      effect: { rttFactor: 1.3 },
    })[0];
    expect(drift).toMatchObject({ kind: 'drift', judged: false, notJudged: 'noise', end: 6 * DAY, effectMs: 18 });
  });
});
