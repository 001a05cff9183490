import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '#cli/dist.mjs';
import { namesIn, readDashboards } from '../support/dashboards.ts';

const dashboards = readDashboards();
const PAGE = readFileSync(path.join(ROOT, 'docs/grafana.md'), 'utf8');
/** What Grafana replaces by itself. */
const BUILT_IN = ['__rate_interval', '__range'];

describe.each([...dashboards])('the dashboard %s', (file, { uid, templating, panels }) => {
  it('takes the data source from a variable everywhere', () => {
    const [first, ...others] = templating.list;
    expect(first).toMatchObject({ name: 'DS_PROMETHEUS', type: 'datasource', query: 'prometheus' });
    const source = { type: 'prometheus', uid: `$\{${first?.name}}` };
    for (const { datasource } of [...panels, ...others]) expect(datasource).toEqual(source);
  });

  it('is named by its file, and its panels have ids, titles and places of their own', () => {
    expect(`${uid}.json`).toBe(file);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });

  it('asks with variables that it has, and for rates over four scrapes a minute apart at least', () => {
    const known = [...BUILT_IN, ...templating.list.map(({ name }) => name)];
    for (const { expr, interval } of panels.flatMap(({ targets }) => targets)) {
      for (const [, name] of expr.matchAll(/\$\{?(\w+)/g)) expect(known, expr).toContain(name);
      if (expr.includes('$__rate_interval')) expect(interval, expr).toMatch(/^[1-9]m$/);
    }
  });

  it('gives a legend to all that has several lines', () => {
    for (const { title, type, targets } of panels)
      if (['timeseries', 'bargauge', 'heatmap'].includes(type))
        for (const { legendFormat } of targets) expect(legendFormat, title).toBeTruthy();
  });

  it('has each panel in docs/grafana.md, in its unit', () => {
    for (const { title, fieldConfig } of panels)
      expect(PAGE, title).toMatch(new RegExp(`^\\| ${title} \\| .* \\| ${fieldConfig.defaults.unit} \\|$`, 'm'));
  });
});

it('has an overview, a page of a target and one of the fleet, of the schema of Grafana 13', () => {
  expect([...dashboards.keys()].toSorted()).toEqual(
    ['fleet', 'overview', 'target'].map((name) => `roundtrip-${name}.json`),
  );
  for (const { schemaVersion } of dashboards.values()) expect(schemaVersion).toBe(42);
});

it('names of an expression are its metrics, their labels and those of groups', () => {
  expect(
    namesIn('topk(3, sum by (le, a) (rate(x_bucket{b="c{d}", e=~"$f"}[$__range]))) / 2 and on (job) up or vector(0)'),
  ).toEqual({
    metrics: [
      { name: 'x_bucket', labels: ['b', 'e'] },
      { name: 'up', labels: [] },
    ],
    grouping: ['le', 'a', 'job'],
  });
});
