import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '#cli/build.ts';
import { ROOT } from '#cli/dist.mjs';
import { type Dashboard, labelValues, readDashboards } from '../support/dashboards.ts';
import { CLOCK_IS_SET } from '../support/instants.ts';
import { findPrometheus, type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { type Stack, spawnRoundtrip, startStack } from '../support/stack.ts';

// Every query of every dashboard, asked of a real Prometheus that scrapes the demo by the configuration of docs/grafana.md.

const START_MS = 600_000;
let folder = '';
let stack: Stack | null = null;
let prometheus: Prometheus | string = '';

beforeAll(async () => {
  const found = CLOCK_IS_SET ? 'a Go program, which a set clock does not reach' : await findPrometheus();
  if (typeof found === 'string') {
    prometheus = found;
    return;
  }
  await build('web application');
  folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-dashboards-'));
  // PostgreSQL's user passes through; else root's database would be kept in the system's folder, and stay there.
  chmodSync(folder, 0o711);
  stack = await startStack({ dataDir: folder });
  const keyFile = path.join(folder, 'key');
  writeFileSync(keyFile, await newKey());
  prometheus = await startPrometheus(found.file, configuration(stack.url, keyFile));
}, START_MS);
afterAll(async () => {
  if (typeof prometheus !== 'string') await prometheus.stop();
  await stack?.stop();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

async function newKey(): Promise<string> {
  const child = spawnRoundtrip(['key', 'create', '--scope', 'read'], { ROUNDTRIP_DATA: folder });
  let key = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    key += chunk.toString();
  });
  await once(child, 'close');
  return key.trim();
}

/** That of docs/grafana.md, which scrapes once a minute, every second. */
function configuration(url: string, keyFile: string): string {
  const page = readFileSync(path.join(ROOT, 'docs/grafana.md'), 'utf8');
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const replaced = [
    ['roundtrip.example.org:3000', new URL(url).host],
    ['/etc/prometheus/roundtrip.key', keyFile],
    ['scrape_interval: 60s', 'scrape_interval: 1s'],
  ] as const;
  for (const [text] of replaced) expect(yaml).toContain(text);
  return replaced.reduce((config, [from, to]) => config.replaceAll(from, to), yaml);
}

/** What Grafana does before it asks: `values` by the names of variables. */
const filled = (text: string, values: Record<string, string>) =>
  text.replace(/\$(\w+)/g, (_, name: string) => values[name] ?? `$${name}`);
/** Grafana's own: the least that it makes of the panels' intervals at a scrape a minute, and an hour that is shown. */
const BUILT_IN = { __rate_interval: '4m', __range: '1h' };
/** A place is probed once a minute, and what disturbed the prober is not counted: three turns. */
const COUNTED_WITHIN_MS = 180_000;

/** The values of a dashboard's variables, those that have an "all" with it or with their first. */
async function valuesOf(
  { templating }: Dashboard,
  { labelValues: ask }: Prometheus,
  all: boolean,
): Promise<Record<string, string>> {
  const values: Record<string, string> = { ...BUILT_IN };
  for (const variable of templating.list) {
    const asked = labelValues(variable);
    if (asked === null) continue;
    const [first] = await ask(asked.label, filled(asked.match, values));
    if (first === undefined) throw new Error(`${variable.name} has no value`);
    values[variable.name] = (all ? variable.allValue : undefined) ?? first;
  }
  return values;
}

/** What is wrong with a panel's answers: a query without any number, or a legend of a label that a series does not have. */
async function faultsOf(
  { title, targets }: Dashboard['panels'][number],
  { query }: Prometheus,
  variables: Record<string, string>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { refId, expr, legendFormat = '', instant } of targets) {
    const series = await query(filled(expr, variables), instant ? 'now' : 'minute');
    if (series.every(({ values }) => values.length === 0)) faults.push(`${title} (${refId}): no data`);
    const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    const lacks = (label: string) => series.some((each) => each.labels[label] === undefined);
    faults.push(...labels.filter(lacks).map((label) => `${title} (${refId}): no label ${label}`));
  }
  return faults;
}

describe.each([...readDashboards()])('the dashboard %s', (_, dashboard) => {
  it.for(['all', 'one'])(
    'has data in every panel for %s of each variable',
    { timeout: 2 * COUNTED_WITHIN_MS },
    async (which, context) => {
      if (typeof prometheus === 'string') return context.skip(prometheus);
      const running = prometheus;
      await expect
        .poll(
          async () => {
            const values = await valuesOf(dashboard, running, which === 'all');
            return (await Promise.all(dashboard.panels.map((panel) => faultsOf(panel, running, values)))).flat();
          },
          { timeout: COUNTED_WITHIN_MS },
        )
        .toEqual([]);
    },
  );
});
