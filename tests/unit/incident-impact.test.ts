import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Audience, audienceWeight, DEFAULT_AUDIENCE } from '#contract/audience.ts';
import { MAINLAND_REGIONS } from '#contract/location.ts';
import { applyImpact, impactOf, severityBy, type Users } from '#server/incidents/impact.ts';
import { cellOf, type StoredCell } from '#server/incidents/stored-incident.ts';

const SHOP = '01970000-0000-7000-8000-000000000001';
const MAIL = '01970000-0000-7000-8000-000000000002';
const CARRIERS = ['telecom', 'unicom', 'mobile'];
const everywhere = MAINLAND_REGIONS.flatMap((region) => CARRIERS.map((carrier) => ({ region, carrier })));

const cell = (region: string, carrier: string, more: Partial<StoredCell> = {}): StoredCell => ({
  ...cellOf({
    ...{ targetId: SHOP, vantageId: `${region} ${carrier}`, region, carrier, kind: 'spike', metric: 'tls' },
    ...{ at: new Date('2026-11-20T12:00:00Z'), beforeMs: 50, afterMs: 90 },
  }),
  ...more,
});
const users = (audience: Audience = DEFAULT_AUDIENCE): Users => ({
  audience,
  measured: new Map([
    [SHOP, everywhere],
    [MAIL, everywhere],
  ]),
});

describe('the default audience', () => {
  it('is in proportion: the mean province and the mean of the three carriers weigh 1', () => {
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(MAINLAND_REGIONS.map((region) => DEFAULT_AUDIENCE.regions[region] ?? 0))).toBeCloseTo(1, 2);
    expect(mean(CARRIERS.map((carrier) => DEFAULT_AUDIENCE.carriers[carrier] ?? 0))).toBeCloseTo(1, 2);
    expect(DEFAULT_AUDIENCE.regions).toMatchObject({ 'CN-GD': 2.77, 'CN-XZ': 0.08 });
    expect(DEFAULT_AUDIENCE.carriers).toMatchObject({ mobile: 1.64, telecom: 0.78, unicom: 0.58 });
    expect(Audience.parse(DEFAULT_AUDIENCE)).toEqual(DEFAULT_AUDIENCE);
    expect(audienceWeight(DEFAULT_AUDIENCE, { region: 'US-CA', carrier: 'comcast' })).toBe(1);
  });
});

describe('the impact of an incident', () => {
  it('is the share of the users of the places that are affected, times what they wait longer', () => {
    const unicom = impactOf(
      MAINLAND_REGIONS.map((region) => cell(region, 'unicom')),
      users(),
    );
    expect(unicom).toEqual({
      share: expect.closeTo(0.58 / 3, 3),
      excessMs: expect.closeTo(40, 9),
      weightedMs: expect.closeTo(7.73, 2),
    });
    const even = users({ regions: {}, carriers: {} });
    expect(impactOf([cell('CN-GD', 'mobile')], even)?.share).toBeCloseTo(1 / 93, 9);
  });

  it('weighs the excess of each place by its users, and counts a place once, whatever number of metrics moved there', () => {
    const cells = [
      cell('CN-GD', 'mobile', { afterMs: 150 }),
      cell('CN-GD', 'mobile', { metric: 'firstByte', afterMs: 900 }),
      cell('CN-XZ', 'mobile', { afterMs: 60 }),
    ];
    const impact = impactOf(cells, users());
    expect(impact?.excessMs).toBeCloseTo((2.77 * 100 + 0.08 * 10) / 2.85, 6);
    expect(impact?.share).toBeCloseTo((2.85 * 1.64) / 93, 3);
  });

  it('leaves out what has recovered while it goes on; of several targets the share is the mean', () => {
    const cells = [
      cell('CN-GD', 'mobile'),
      cell('CN-SD', 'mobile', { recoveredAt: '2026-11-20T12:30:00.000Z' }),
      cell('CN-GD', 'mobile', { targetId: MAIL }),
    ];
    expect(impactOf(cells, users())?.share).toBeCloseTo((2.77 * 1.64) / 93, 3);
    const over = cells.map((each) => ({ ...each, recoveredAt: '2026-11-20T12:30:00.000Z' }));
    expect(impactOf(over, users())?.share).toBeGreaterThan(impactOf(cells, users())?.share ?? 1);
  });

  it('is not known of what is measured nowhere, and has no excess where nothing has two levels', () => {
    expect(impactOf([cell('CN-GD', 'mobile', { targetId: null })], users())).toBeNull();
    expect(impactOf([cell('CN-GD', 'mobile', { region: null, carrier: null })], users())).toBeNull();
    expect(impactOf([cell('CN-GD', 'mobile')], { audience: DEFAULT_AUDIENCE, measured: new Map() })).toBeNull();
    expect(impactOf([cell('CN-GD', 'mobile', { beforeMs: null })], users())).toMatchObject({
      excessMs: null,
      weightedMs: null,
    });
    // From its limit to what was measured: no time that anybody waits longer.
    expect(impactOf([cell('CN-GD', 'mobile', { kind: 'threshold' })], users())).toMatchObject({ excessMs: null });
  });

  it('has a share between 0 and 1 that never falls when a place joins', () => {
    const place = fc.constantFrom(...everywhere);
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 20 }), place, (places, more) => {
        const cells = places.map(({ region, carrier }) => cell(region, carrier));
        const share = impactOf(cells, users())?.share ?? -1;
        const grown = impactOf([...cells, cell(more.region, more.carrier)], users())?.share ?? -1;
        return share > 0 && grown <= 1 + 1e-9 && grown >= share - 1e-9;
      }),
    );
  });
});

describe('severity', () => {
  const many = { share: 0.5, excessMs: 50, weightedMs: 25 };
  const few = { share: 0.004, excessMs: 500, weightedMs: 2 };

  it("is the rule's, one step more for what many users feel, one less for what few do", () => {
    expect(severityBy('warning', 'spike', null)).toBe('warning');
    expect(severityBy('warning', 'spike', many)).toBe('critical');
    expect(severityBy('warning', 'spike', { ...many, weightedMs: 5 })).toBe('warning');
    expect(severityBy('warning', 'regression', few)).toBe('info');
    expect(severityBy('critical', 'regression', few)).toBe('warning');
  });

  it('never makes more of what a rule calls information, of improvements, or of what no excess is known of', () => {
    expect(severityBy('info', 'spike', many)).toBe('info');
    expect(severityBy('warning', 'improvement', many)).toBe('info');
    expect(severityBy('warning', 'down', many)).toBe('warning');
    expect(severityBy('warning', 'spike', { share: 1, excessMs: null, weightedMs: null })).toBe('warning');
  });

  it('only rises once somebody was told', () => {
    const small = { kind: 'spike', status: 'open', cells: [cell('CN-XZ', 'unicom')], userShare: null, excessMs: null };
    const untold = { ...small, severity: 'warning' } as Parameters<typeof applyImpact>[0];
    applyImpact(untold, users(), 'warning', false);
    expect(untold).toMatchObject({ severity: 'info', excessMs: 40, userShare: expect.closeTo(0.0005, 4) });
    // Cells that come with its end count as well, as long as nobody was told.
    const over = { ...untold, status: 'resolved' as const, cells: everywhere.map((at) => cell(at.region, at.carrier)) };
    applyImpact(over, users(), 'warning', false);
    expect(over).toMatchObject({ severity: 'critical', userShare: 1 });
    const told = { ...small, severity: 'warning' } as Parameters<typeof applyImpact>[0];
    applyImpact(told, users(), 'warning', true);
    expect(told.severity).toBe('warning');
    const grown = { ...told, cells: everywhere.map(({ region, carrier }) => cell(region, carrier)) };
    applyImpact(grown, users(), 'warning', true);
    expect(grown.severity).toBe('critical');
  });
});
