import { describe, expect, it } from 'vitest';
import { EnrolmentCreate } from '#contract/vantage.ts';
import { DEMO_VANTAGES, eveningPeak, pathBetween } from '#demo/places.ts';

const NOON = Date.parse('2026-11-21T04:00:00Z');
const EVENING = Date.parse('2026-11-21T13:00:00Z');
const beijing = { region: 'CN-BJ', carrier: 'unicom' } as const;
const sites = [beijing, { region: 'CN-GD', carrier: 'telecom' }, { region: 'CN-SH', carrier: 'telecom' }] as const;

describe('the places of the demo', () => {
  it('are 93 vantages that the contract accepts', () => {
    expect(DEMO_VANTAGES).toHaveLength(93);
    for (const vantage of DEMO_VANTAGES) expect(EnrolmentCreate.safeParse(vantage).success).toBe(true);
    expect(new Set(DEMO_VANTAGES.map((v) => v.name)).size).toBe(93);
  });

  it('lie between 4 and 100 ms and lose between 0.05 and 1% at any hour', () => {
    for (const site of sites) {
      for (const vantage of DEMO_VANTAGES) {
        for (const at of [NOON, EVENING]) {
          const line = pathBetween(vantage, site, at);
          expect(line.rttMs, vantage.name).toBeGreaterThan(4);
          expect(line.rttMs, vantage.name).toBeLessThan(100);
          expect(line.loss, vantage.name).toBeGreaterThanOrEqual(0.0005);
          expect(line.loss, vantage.name).toBeLessThan(0.01);
        }
      }
    }
  });

  it('are slower far away, in the evening, and across carriers', () => {
    const rtt = (region: string, carrier: 'unicom' | 'mobile' | 'telecom', at = NOON) =>
      pathBetween({ region, carrier }, beijing, at).rttMs;
    expect(rtt('CN-BJ', 'unicom')).toBe(5);
    expect(rtt('CN-GD', 'unicom')).toBeCloseTo(33.3, 0);
    expect(rtt('CN-XZ', 'unicom')).toBeGreaterThan(rtt('CN-SC', 'unicom') + 20);
    expect(rtt('CN-HE', 'telecom')).toBeGreaterThan(rtt('CN-HE', 'unicom'));
    expect(rtt('CN-HE', 'mobile', EVENING)).toBeGreaterThan(rtt('CN-HE', 'mobile'));
  });

  it('have their evening peak at 21:00 in China', () => {
    expect(eveningPeak(EVENING)).toBe(1);
    expect(eveningPeak(NOON)).toBe(0);
    expect(eveningPeak(Date.parse('2026-11-21T14:30:00Z'))).toBe(0.5);
  });

  it('do not know a place that is none', () => {
    expect(() => pathBetween({ region: 'CN-QQ', carrier: 'mobile' }, beijing, NOON)).toThrow('no place in CN-QQ');
    expect(() => pathBetween({ region: 'CN-BJ', carrier: 'x' }, beijing, NOON)).toThrow('no carrier x');
  });
});
