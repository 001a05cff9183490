import type { Result } from '#contract/result.ts';
import type { ExitStatus } from './conditions.ts';
import { type Probed, probeInTurn, type TurnsReport } from './in-turn.ts';
import { padded, shownWidth } from './layout.ts';
import { harmless, type Paint, paintFor, wantsColour } from './paint.ts';
import type { Plan } from './plan.ts';
import { medianOf } from './summary.ts';

/** Probes several URLs in turn, and prints a row for each as soon as its last probe has ended. */
export function probeAndTabulate(plans: readonly Plan[], json: boolean): Promise<ExitStatus> {
  const all = plans.map((plan): Probed => ({ plan, results: [] }));
  return probeInTurn(all, tableOf(all, paintFor(wantsColour(process.stdout, process.env))), json);
}

/** A longer URL moves its row to the right. */
const MOST_URL_COLUMNS = 48;

/** A row a URL, never broken, however narrow the terminal is: `grep` and `awk` can read it. Times are medians (ms). */
export function tableOf(all: readonly Probed[], paint: Paint): TurnsReport {
  const urlOf = ({ plan }: Probed) => harmless(plan.url);
  const widest = Math.max(...all.map((probed) => shownWidth(urlOf(probed))));
  const columns: Column[] = [['URL', Math.min(MOST_URL_COLUMNS, widest), urlOf], ...columnsOf(paint)];
  const line = (cells: string[]) =>
    `${`  ${cells.map((cell, index) => padded(cell, columns[index]?.[1] ?? 0)).join('  ')}`.trimEnd()}\n`;
  let printed = 0;
  const rowOf = (probed: Probed) => {
    printed += 1;
    const title = printed === 1 ? line(columns.map(([heading]) => heading)) : '';
    return title + line(columns.map(([, , cellOf]) => cellOf(probed)));
  };
  return {
    after: (probed) => (probed.results.length === probed.plan.count ? rowOf(probed) : ''),
    conclusion: () =>
      all
        .slice(printed)
        .filter(({ results }) => results.length > 0)
        .map(rowOf)
        .join(''),
  };
}

/** Heading, width and content. */
type Column = [string, number, (probed: Probed) => string];

const columnsOf = (paint: Paint): Column[] => [
  ['state', 6, ({ results }) => (results.flat().every(({ ok }) => ok) ? paint.green('ok') : paint.red('FAILED'))],
  duration('dns ms', ({ phases }) => phases.dns),
  duration('connect', ({ phases }) => phases.tcp),
  duration('tls', ({ phases }) => phases.tls),
  duration('first byte', ({ phases }) => phases.firstByte),
  duration('total', ({ phases }) => phases.total),
  ['status', 6, (probed) => `${lastOf(probed)?.http?.status ?? '-'}`],
  ['protocol', 14, (probed) => protocolOf(lastOf(probed)) || '-'],
  ['wrong', 0, ({ results }) => harmless(wrongWith(results.flat()))],
];

const DURATION_COLUMNS = 10;

function duration(heading: string, of: (result: Result) => number | null): Column {
  const cellOf = ({ results }: Probed) => {
    const mains = results.flatMap(([main]) => main ?? []);
    const good = mains.filter(({ ok }) => ok);
    return medianOf(good.length > 0 ? good : mains, of)?.toFixed(1) ?? '-';
  };
  const right = (text: string) => text.padStart(DURATION_COLUMNS);
  return [right(heading), DURATION_COLUMNS, (probed) => right(cellOf(probed))];
}

const lastOf = ({ results }: Probed) => results.at(-1)?.[0];
const protocolOf = (result: Result | undefined) =>
  [result?.tls?.version, result?.http && `HTTP/${result.http.version}`].filter(Boolean).join(' ');

/** Failures, the first one in words; findings that are more than information; whether this machine was too busy to measure. */
function wrongWith(results: readonly Result[]): string {
  const [first, ...more] = results.flatMap(({ failure }) => failure ?? []);
  const often = results.length > 1 ? ` (${1 + more.length} of ${results.length} probes failed)` : '';
  const findings = results.flatMap((each) => each.findings).filter(({ severity }) => severity !== 'info');
  return [
    ...(first ? [`${first.reason}: ${first.message}${often}`] : []),
    ...new Set(findings.map(({ code }) => code)),
    ...(results.every(({ prober }) => prober.clean) ? [] : ['this machine was busy']),
  ].join('; ');
}
