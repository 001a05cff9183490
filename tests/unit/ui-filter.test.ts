import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHOICES, compareRange, filterHref, metricsOf, readFilter, statsOf } from '#components/filters/filter.ts';
import { CHINA_REGIONS } from '#contract/location.ts';
import { RANGES } from '#contract/query.ts';
import { CONNECTION_PROPERTIES, KNOWN_CARRIERS, METRICS, STATS } from '#contract/vocabulary.ts';

const NOW = Date.parse('2026-11-21T08:00:20.000Z');

/** The search parameters of a link, as Next hands them to a page. */
function paramsOf(href: string): Record<string, string[]> {
  const query = new URL(href, 'http://localhost').searchParams;
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}

describe('a filter', () => {
  it('without parameters is the TLS median of the last 24 hours, and its link is bare', () => {
    const filter = readFilter({}, NOW);
    expect(filter).toMatchObject({
      range: 'auto',
      against: 'usual',
      metric: 'tls',
      stat: 'p50',
      regions: [],
      carriers: [],
      sort: 'name',
      map: 'provinces',
    });
    expect(filter.to).toBe('2026-11-21T08:01:00.000Z');
    expect(filter.from).toBe('2026-11-20T08:01:00.000Z');
    expect(filterHref('/targets/x', filter)).toBe('/targets/x');
  });

  it('stands in the URL whole: a link leads to the same filter', () => {
    const whole = fc.record({
      range: fc.constantFrom(...RANGES),
      metric: fc.constantFrom(...METRICS),
      stat: fc.constantFrom(...STATS),
      sort: fc.constantFrom(...CHOICES.sort),
      map: fc.constantFrom(...CHOICES.map),
      access: fc.constantFrom(...CHOICES.access),
      outcome: fc.constantFrom(...CHOICES.outcome),
      axis: fc.constantFrom(...CHOICES.axis),
      extremes: fc.constantFrom(...CHOICES.extremes),
      makeup: fc.constantFrom(...CONNECTION_PROPERTIES),
      overlay: fc.constantFrom(...CHOICES.overlay),
      spread: fc.constantFrom(...CHOICES.spread),
      variant: fc.constantFrom(...CHOICES.variant),
      regions: fc.subarray([...CHINA_REGIONS]),
      carriers: fc.subarray([...KNOWN_CARRIERS]),
    });
    const some = whole.filter(
      ({ variant, metric, stat }) => metricsOf(variant).includes(metric) && statsOf(metric).includes(stat),
    );
    fc.assert(
      fc.property(some, (chosen) => {
        const href = filterHref('/t', readFilter({}, NOW), chosen);
        expect(readFilter(paramsOf(href), NOW)).toMatchObject(chosen);
      }),
    );
  });

  it('knows refused sessions of resumed handshakes alone, and no percentile of them', () => {
    const read = (variant: string, stat: string) => readFilter({ variant, metric: 'refused', stat }, NOW);
    expect(read('resumed', 'mean')).toMatchObject({ metric: 'refused', stat: 'mean' });
    expect(read('resumed', 'p95')).toMatchObject({ metric: 'refused', stat: 'mean' });
    expect(read('resumed', 'count')).toMatchObject({ metric: 'refused', stat: 'count' });
    expect(read('main', 'mean')).toMatchObject({ metric: 'tls', stat: 'mean' });
  });

  it('reads a custom range in the zone that its form named, and links to it in UTC', () => {
    const filter = readFilter({ from: '2026-11-20T08:00', to: '2026-11-20T20:00', zone: 'Asia/Shanghai' }, NOW);
    expect(filter).toMatchObject({ range: 'custom', from: '2026-11-20T00:00:00.000Z', to: '2026-11-20T12:00:00.000Z' });
    expect(readFilter(paramsOf(filterHref('/t', filter)), NOW)).toEqual(filter);
  });

  it.each([
    { from: '2026-11-20T20:00', to: '2026-11-20T08:00' },
    { from: 'nonsense', to: '2026-11-20T08:00' },
    { from: '2020-01-01T00:00', to: '2026-11-20T08:00' },
    { from: '2026-11-20T08:00', to: '2026-11-20T09:00', zone: 'Mars/Olympus' },
  ])('that is no range falls back to 24 hours and says so (%j)', (params) => {
    expect(readFilter(params, NOW)).toMatchObject({ range: '24h', invalid: true });
  });

  it('drops what it does not know', () => {
    const filter = readFilter(
      { metric: 'speed', stat: 'p42', region: ['CN-BJ', '<b>', 'CN-BJ'], carrier: 'telecom,UNICOM' },
      NOW,
    );
    expect(filter).toMatchObject({ metric: 'tls', stat: 'p50', regions: ['CN-BJ'], carriers: ['telecom'] });
  });
});

describe('the range to compare with', () => {
  it('is the same hours of yesterday', () => {
    const hour = readFilter({ range: '1h' }, NOW);
    expect(compareRange(hour)).toEqual({
      compareFrom: '2026-11-20T07:01:00.000Z',
      compareTo: '2026-11-20T08:01:00.000Z',
    });
  });

  it('is the span before for ranges longer than a day, and never overlaps', () => {
    const week = readFilter({ range: '7d' }, NOW);
    expect(compareRange(week).compareTo).toBe(week.from);
  });
});
