import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CHINA } from '#components/charts/china-map.ts';
import { TILE_POSITIONS } from '#components/charts/map-layout.ts';
import { timeTicks } from '#components/charts/time-axis.ts';
import { changeStep, heatOf, heatScale, toneOf, tonesOf } from '#components/target/heat.ts';
import { matrixRows, regressedCells } from '#components/target/matrix-rows.ts';
import { LIST_ROWS, listPage, rankTargets } from '#components/target/rank.ts';
import type { OpenIncident } from '#contract/incident-parts.ts';
import { CHINA_REGIONS } from '#contract/location.ts';
import type { Matrix } from '#contract/query.ts';
import type { TargetSummary } from '#contract/target-summary.ts';
import { worstCells } from '#contract/target-summary.ts';
import { slowerFrom } from '#i18n/usual.ts';
import { summaryOf as target } from '../support/summary-of.ts';
import { words } from '../support/words.ts';

describe('the tile map', () => {
  it('has each of the 34 regions once, each on a tile of its own', () => {
    expect([...TILE_POSITIONS.keys()].sort()).toEqual([...CHINA_REGIONS].sort());
    expect(new Set([...TILE_POSITIONS.values()].map(({ column, row }) => `${column} ${row}`)).size).toBe(34);
  });
});

describe('the map of provinces', () => {
  type Ring = readonly (readonly number[])[];
  /** Below 0 where a ring goes clockwise. */
  const areaOf = (ring: Ring) =>
    ring.reduce((sum, [x = 0, y = 0], index) => {
      const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] ?? [];
      return sum + (x * nextY - nextX * y) / 2;
    }, 0);
  const spanOf = (points: Ring, axis: 0 | 1) => {
    const values = points.map((point) => point[axis] ?? Number.NaN);
    return [Math.min(...values), Math.max(...values)] as const;
  };
  const outlines = [...CHINA.outlines].map(([region, { rings, x, y, room }]) => ({
    region,
    rings,
    label: [x, y] as const,
    room,
  }));

  it('comes over the wire in 60 kB at most', () => {
    const file = readFileSync(new URL('../../components/charts/china.json', import.meta.url));
    expect(gzipSync(file).length).toBeLessThanOrEqual(60_000);
  });

  it('has each of the 34 regions once, by its own code', () => {
    expect(outlines.map(({ region }) => region).sort()).toEqual([...CHINA_REGIONS].sort());
  });

  it.each(outlines)(
    '$region has an outline of closed rings around land, and its label on it',
    ({ rings, label, room }) => {
      expect(rings.length).toBeGreaterThan(0);
      for (const ring of rings) {
        expect(ring.length).toBeGreaterThanOrEqual(4);
        expect(ring[0]).toEqual(ring.at(-1));
        expect(areaOf(ring)).toBeLessThan(0);
      }
      expect(room).toBeGreaterThan(0);
      const inside = rings.filter((ring) => {
        const crossed = ring.filter(([bx = 0, by = 0], index) => {
          const [ax = 0, ay = 0] = ring[index - 1] ?? [bx, by];
          return ay > label[1] !== by > label[1] && label[0] < ((bx - ax) * (label[1] - ay)) / (by - ay) + ax;
        });
        return crossed.length % 2 === 1;
      });
      expect(inside).toHaveLength(1);
    },
  );

  it('has the South China Sea with its nine dashes in a box at the lower right that covers no province', () => {
    const rings = CHINA.sea;
    const [coast, hainan, ...dashes] = rings.slice(0, -1);
    const frame = rings.at(-1) ?? [];
    expect([coast, hainan].every((ring) => ring && areaOf(ring) < 0)).toBe(true);
    expect(dashes).toHaveLength(9);
    const [[left, right], [, top]] = [spanOf(frame, 0), spanOf(frame, 1)];
    const land = outlines.flatMap(({ rings }) => rings.flat());
    expect(right).toBeGreaterThan(spanOf(land, 0)[1]);
    expect(land.filter(([x = 0, y = 0]) => x >= left && y <= top)).toEqual([]);
    for (const ring of rings) expect(spanOf(ring, 0)[0]).toBeGreaterThanOrEqual(left);
  });
});

describe('the list of targets', () => {
  const rows = Array.from({ length: 2 * LIST_ROWS + 1 }, (_, index) => index);

  it.each([
    [undefined, 0, LIST_ROWS, null, { page: 2, rows: LIST_ROWS }],
    ['1', 0, LIST_ROWS, null, { page: 2, rows: LIST_ROWS }],
    ['2', LIST_ROWS, LIST_ROWS, 1, { page: 3, rows: 1 }],
    ['3', 2 * LIST_ROWS, 1, 2, null],
    // What is no page is the first.
    ['4', 0, LIST_ROWS, null, { page: 2, rows: LIST_ROWS }],
    ['0', 0, LIST_ROWS, null, { page: 2, rows: LIST_ROWS }],
    ['-1', 0, LIST_ROWS, null, { page: 2, rows: LIST_ROWS }],
    ['1e9', 0, LIST_ROWS, null, { page: 2, rows: LIST_ROWS }],
    ['x', 0, LIST_ROWS, null, { page: 2, rows: LIST_ROWS }],
  ])(
    'has on page %s the rows from %d on, %d of them, and the ways to those beside it',
    (page, from, count, previous, next) => {
      expect(listPage(rows, page)).toEqual({ shown: rows.slice(from, from + count), previous, next });
    },
  );

  it('is one page of few targets, and of none', () => {
    const alone = { previous: null, next: null };
    expect(listPage(rows.slice(0, LIST_ROWS), undefined)).toEqual({ shown: rows.slice(0, LIST_ROWS), ...alone });
    expect(listPage([], '2')).toEqual({ shown: [], ...alone });
  });
});

describe('the heat of a cell', () => {
  it('grows with the value and stays calm where places hardly differ', () => {
    const alike = heatScale([30, 31, 32, 33], 'ms');
    expect([30, 31, 32, 33].map((value) => heatOf(alike, value))).toEqual([0, 0, 0, 0]);
    const apart = heatScale([10, 20, 40, 80, 160], 'ms');
    const steps = [10, 20, 40, 80, 160].map((value) => heatOf(apart, value) ?? -1);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(steps.at(-1)).toBeGreaterThanOrEqual(5);
  });

  it('of availability is fixed, and graver the lower', () => {
    const scale = heatScale([1, 0.5], 'ratio');
    expect([1, 0.996, 0.985, 0.5].map((value) => heatOf(scale, value))).toEqual([0, 1, 3, 6]);
  });

  it('is none for counts and where nothing was measured', () => {
    expect(heatScale([1, 2], 'count')).toBeNull();
    expect(heatOf(heatScale([1], 'ms'), null)).toBeNull();
  });
});

const cell = (region: string, value: number | null, change: number | null, n = 60) => ({
  region,
  carrier: 'telecom',
  value,
  n,
  compare: change === null ? null : { value: value === null ? null : value / (1 + change), n, change },
});
const cells = [
  cell('CN-BJ', 30, 0.5),
  cell('CN-SH', 10, 0.01),
  cell('CN-XZ', 80, -0.2),
  cell('CN-HI', 500, 2, 2),
  cell('CN-TJ', null, null, 0),
];
const matrix: Matrix = {
  metric: 'tls',
  stat: 'p50',
  unit: 'ms',
  from: '2026-11-20T00:00:00Z',
  to: '2026-11-21T00:00:00Z',
  demo: false,
  generatedUntil: null,
  importedUntil: null,
  unclean: 0,
  regions: cells.map(({ region }) => region),
  carriers: ['telecom'],
  cells,
  margins: { countries: [], regions: cells, carriers: [], all: { value: 30, n: 1, compare: null } },
};

describe('the colour of a change', () => {
  const against = (value: number, compared: number, n = 60) => ({
    value,
    n,
    compare: { value: compared, n, change: value / compared - 1 },
  });

  it('grows with the change both ways, and is none within 10% or 3 ms, or of few probes', () => {
    const steps = [40, 70, 80, 95, 105, 115, 130, 209].map((value) => changeStep(against(value, 100)));
    expect(steps).toEqual([0, 1, 2, 3, 3, 4, 5, 6]);
    expect(changeStep(against(6, 4))).toBe(3);
    expect(changeStep(against(209, 100, 2))).toBe(3);
    expect(changeStep({ value: 30, n: 60, compare: null })).toBeNull();
  });

  it('is that of times where something is known to compare with; else the value has the colour', () => {
    expect(tonesOf(matrix, 'usual')).toEqual({ by: 'change' });
    expect(tonesOf(matrix, 'value').by).toBe('value');
    expect(tonesOf({ ...matrix, unit: 'ratio' }, 'day').by).toBe('value');
    expect(tonesOf({ ...matrix, cells: matrix.cells.map((each) => ({ ...each, compare: null })) }, 'usual').by).toBe(
      'value',
    );
    expect(toneOf({ by: 'change' }, against(209, 100))).toBe('change-6');
    expect(toneOf(tonesOf(matrix, 'value'), cells[3])).toBe('heat-6');
    expect(toneOf({ by: 'change' }, undefined)).toBeNull();
  });
});

describe('the rows of a matrix', () => {
  it('stand in the order asked for, those without a value last', () => {
    const order = (sort: 'name' | 'value' | 'change') => matrixRows(matrix, sort).map(({ region }) => region.slice(3));
    expect(order('name')).toEqual(['BJ', 'SH', 'XZ', 'HI', 'TJ']);
    expect(order('value')).toEqual(['HI', 'XZ', 'BJ', 'SH', 'TJ']);
    expect(order('change')).toEqual(['HI', 'BJ', 'SH', 'XZ', 'TJ']);
  });

  it('name the worst and the regressed without cells that have too few probes', () => {
    expect(worstCells(matrix, 2).map(({ region }) => region)).toEqual(['CN-XZ', 'CN-BJ']);
    expect(regressedCells(matrix, 5).map(({ region }) => region)).toEqual(['CN-BJ']);
  });
});

describe('the overview', () => {
  const NOON = Date.parse('2026-11-20T12:00:00.000Z');

  it('calls slower what exceeds its usual level by 15%, whatever it was yesterday; without one, what exceeds yesterday', () => {
    const slower = (figures: Partial<TargetSummary>) => rankTargets([target('a', figures)], NOON)[0]?.trouble;
    expect(slower({ p50: 47, usual: { tls: 40 }, changeVsYesterday: 0 })).toEqual(['slower']);
    expect(slower({ p50: 40, usual: { tls: 40 }, changeVsYesterday: 0.3 })).toEqual([]);
    expect(slower({ p50: 40, changeVsYesterday: 0.3 })).toEqual(['slower']);
  });

  it('shows the failing first, then the slower, then the slow, then the rest by their time', () => {
    const ranked = rankTargets(
      [
        target('calm', {}),
        target('calm-far', { p50: 90 }),
        target('slow', { p95: 900 }),
        target('new', { p50: null, p95: null, availability: null, n: 0, changeVsYesterday: null }),
        target('slower', { changeVsYesterday: 0.6 }),
        target('failing', { availability: 0.9 }),
      ],
      NOON,
    );
    expect(ranked.map((entry) => entry.target.name)).toEqual(['failing', 'slower', 'slow', 'calm-far', 'calm', 'new']);
    expect(ranked.slice(3).every((entry) => entry.trouble.length === 0)).toBe(true);
  });

  const incident = (given: Partial<OpenIncident> = {}): OpenIncident => ({
    id: 'i',
    kind: 'spike',
    status: 'open',
    standingSince: null,
    heldUntil: null,
    severity: 'warning',
    impact: null,
    metric: 'tls',
    cause: null,
    evidence: {},
    onsetAt: '2026-11-20T12:00:00.000Z',
    effectMs: 40,
    effectRatio: 0.5,
    targetId: null,
    cells: [],
    failure: null,
    ...given,
  });

  it('shows those with an open incident before all others, the most urgent first, and the acknowledged after the failing', () => {
    const open = new Map([
      ['spike', [incident()]],
      ['down', [incident({ severity: 'critical' }), incident()]],
      ['taken', [incident({ status: 'acknowledged', severity: 'critical' })]],
    ]);
    const names = ['taken', 'spike', 'slow', 'failing', 'silent', 'down', 'calm'];
    const figures: Record<string, Partial<TargetSummary>> = {
      slow: { p95: 900 },
      failing: { availability: 0.5 },
      silent: { staleSince: '2026-11-20T12:00:00.000Z' },
    };
    const ranked = rankTargets(
      names.map((name) => target(name, figures[name] ?? {})),
      NOON,
      open,
    );
    expect(ranked.map((entry) => entry.target.name)).toEqual(words('down spike failing silent taken slow calm'));
    expect(ranked.flatMap(({ urgent, target: { name } }) => (urgent ? [] : [name]))).toEqual(['taken', 'calm']);
    expect(ranked[0]?.incidents.map(({ severity }) => severity)).toEqual(['critical', 'warning']);
  });

  it('counts what stands apart: it is known, and comes after what is new and what fails', () => {
    const stands = incident({ kind: 'regression', standingSince: '2026-11-18T12:00:00.000Z' });
    const ranked = rankTargets(
      [target('stands', { p95: 900 }), target('new', {}), target('failing', { availability: 0.5 })],
      NOON,
      new Map([
        ['stands', [stands]],
        ['new', [stands, incident()]],
      ]),
    );
    expect(ranked.map(({ target: { name }, urgent }) => [name, urgent])).toEqual([
      ['new', true],
      ['failing', true],
      ['stands', false],
    ]);
    expect(ranked[0]?.incidents.map(({ standing }) => standing)).toEqual([false, true]);
  });

  it('needs no look at what is about to close, is only a notice, or is a single series that is not notified yet', () => {
    const [at, cell] = [new Date(NOON).toISOString(), { targetId: 'x', quietSince: null }];
    const urgent = (given: Partial<OpenIncident>) =>
      rankTargets([target('x', {})], NOON, new Map([['x', [incident(given)]]]))[0]?.urgent;
    const cells = (...quietSince: (string | null)[]) =>
      quietSince.map((since) => ({ ...cell, quietSince: since })) as OpenIncident['cells'];
    expect(urgent({ cells: cells(at, null) })).toBe(true);
    expect(urgent({ cells: cells(at, at) })).toBe(false);
    expect(urgent({ severity: 'info' })).toBe(false);
    expect(urgent({ heldUntil: new Date(NOON + 1_000).toISOString() })).toBe(false);
    expect(urgent({ heldUntil: at })).toBe(true);
  });

  it('is slower since its lasting change began, also where one evening was as fast as usual', () => {
    const since = '2026-11-22T00:00:00.000Z';
    const regression = { kind: 'regression', metric: 'tls', onsetAt: '2026-11-13T01:50:00.000Z' };
    expect(slowerFrom(since, [])).toBe(since);
    expect(slowerFrom(since, [regression, { ...regression, onsetAt: '2026-11-23T00:00:00.000Z' }])).toBe(
      regression.onsetAt,
    );
    expect(
      slowerFrom(since, [
        { ...regression, kind: 'spike' },
        { ...regression, metric: 'tcp' },
      ]),
    ).toBe(since);
  });

  it('is slower since the minute at which its lasting change began, not since the part of the day in which it did', () => {
    const since = '2026-11-20T00:00:00.000Z';
    const at = (onsetAt: string) => slowerFrom(since, [{ kind: 'regression', metric: 'tls', onsetAt }]);
    expect(at('2026-11-20T02:12:00.000Z')).toBe('2026-11-20T02:12:00.000Z');
    // The part began slow without it.
    expect(at('2026-11-20T03:00:00.000Z')).toBe(since);
  });

  it('needs no look at a threshold that an acknowledged incident accounts for, but at one of another kind', () => {
    const urgent = (figures: Partial<TargetSummary>, given: Partial<OpenIncident>) =>
      rankTargets([target('x', figures)], NOON, new Map([['x', [incident({ status: 'acknowledged', ...given })]]]))[0]
        ?.urgent;
    expect(urgent({ p95: 900 }, {})).toBe(false);
    expect(urgent({ availability: 0.5 }, {})).toBe(true);
    expect(urgent({ availability: 0.5 }, { kind: 'down', metric: null })).toBe(false);
    expect(urgent({ p95: 900 }, { kind: 'down', metric: null })).toBe(true);
    expect(urgent({ staleSince: '2026-11-20T12:00:00.000Z' }, {})).toBe(true);
  });

  it('is not fooled by an average: one line that slowed down is trouble', () => {
    const worst = { region: 'CN-XJ', carrier: 'mobile', value: 200, n: 60, change: 0.7 };
    expect(rankTargets([target('x', { changeVsYesterday: 0.03, worst })], NOON)[0]?.trouble).toEqual(['slower']);
  });
});

describe('the time axis', () => {
  it('ticks at round times of the zone', () => {
    const from = Date.parse('2026-11-20T08:01:00Z');
    const ticks = timeTicks(from, from + 86_400_000, 'Asia/Shanghai', 9).map(({ value }) =>
      new Date(value).toISOString(),
    );
    expect(ticks[0]).toBe('2026-11-20T10:00:00.000Z');
    expect(ticks.length).toBeLessThanOrEqual(9);
  });
});
