import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ROOT } from '#cli/dist.mjs';

const FOLDER = path.join(ROOT, 'docs/grafana');

const DataSource = z.object({ type: z.string(), uid: z.string() });
const Query = z.object({
  refId: z.string(),
  expr: z.string(),
  legendFormat: z.string().optional(),
  instant: z.boolean().default(false),
  interval: z.string().optional(),
});
const Panel = z.object({
  id: z.number(),
  title: z.string(),
  type: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  datasource: DataSource,
  fieldConfig: z.object({ defaults: z.object({ unit: z.string() }) }),
  targets: z.array(Query).min(1),
});
const Variable = z.object({
  name: z.string(),
  type: z.string(),
  datasource: DataSource.optional(),
  allValue: z.string().optional(),
  query: z.union([z.string(), z.object({ query: z.string() })]),
});
const Dashboard = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number(),
  templating: z.object({ list: z.array(Variable) }),
  panels: z.array(Panel).min(1),
});
export type Dashboard = z.infer<typeof Dashboard>;

/** The dashboards that people import into Grafana, by their files' names. */
export function readDashboards(): Map<string, Dashboard> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return new Map(
    files.map((name) => [name, Dashboard.parse(JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')))]),
  );
}

/** What a variable asks Prometheus for: the metrics that match, and whose label. Null for what is no `label_values`. */
export function labelValues({ query }: Dashboard['templating']['list'][number]) {
  const [, match, label] = /^label_values\((.+), (\w+)\)$/.exec(typeof query === 'string' ? query : query.query) ?? [];
  return match === undefined || label === undefined ? null : { match, label };
}

/** Everything that a dashboard asks Prometheus for: its variables' metrics and its panels' expressions. */
export const expressionsOf = ({ templating, panels }: Dashboard): string[] => [
  ...templating.list.flatMap((variable) => labelValues(variable)?.match ?? []),
  ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset']);

/**
 * Which metrics an expression reads, each with the labels that it is chosen by, and the labels that results are grouped or matched
 * by. What is no function and no operator is taken for a metric.
 */
export function namesIn(expression: string): { metrics: { name: string; labels: string[] }[]; grouping: string[] } {
  const grouping: string[] = [];
  const rest = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, labels: string) => {
      grouping.push(...(labels.match(/\w+/g) ?? []));
      return '';
    });
  const metrics = [...rest.matchAll(/([a-zA-Z_:][\w:]*)\s*(\(|\{[^}]*\})?/g)]
    .filter(([, name = '', after]) => after !== '(' && !OPERATORS.has(name))
    .map(([, name = '', selector = '']) => ({
      name,
      labels: [...selector.matchAll(/(\w+)\s*[!=]/g)].map(([, label = '']) => label),
    }));
  return { metrics, grouping };
}
