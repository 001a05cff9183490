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
  const columns: Column<Probed>[] = [['URL', Math.min(MOST_URL_COLUMNS, widest), urlOf], ...columnsOf(paint)];
  let printed = 0;
  const rowOf = (probed: Probed) => {
    printed += 1;
    return (printed === 1 ? titleOf(columns) : '') + lineOf(columns, probed);
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
export type Column<T> = [string, number, (row: T) => string];

const joined = <T>(columns: readonly Column<T>[], cellOf: (column: Column<T>) => string) =>
  `${`  ${columns.map((column) => padded(cellOf(column), column[1])).join('  ')}`.trimEnd()}\n`;
export const titleOf = <T>(columns: readonly Column<T>[]): string => joined(columns, ([heading]) => heading);
export const lineOf = <T>(columns: readonly Column<T>[], row: T): string =>
  joined(columns, ([, , cellOf]) => cellOf(row));

type Taken = Pick<Probed, 'results'>;

/** What Results say, those of `machine`; `wrong` comes last, and is as long as it is. */
export const columnsOf = (paint: Paint, machine = 'this machine'): Column<Taken>[] => [
  ['state', 6, ({ results }) => (results.flat().every(({ ok }) => ok) ? paint.green('ok') : paint.red('FAILED'))],
  duration('dns ms', ({ phases }) => phases.dns),
  duration('connect', ({ phases }) => phases.tcp),
  duration('tls', ({ phases }) => phases.tls),
  duration('first byte', ({ phases }) => phases.firstByte),
  duration('total', ({ phases }) => phases.total),
  ['status', 6, (probed) => `${lastOf(probed)?.http?.status ?? '-'}`],
  ['protocol', 14, (probed) => protocolOf(lastOf(probed)) || '-'],
  ['wrong', 0, ({ results }) => harmless(wrongWith(results.flat(), machine))],
];

const NUMBER_COLUMNS = 10;

/** A column with its content at the right. */
export const numberColumn = <T>(heading: string, of: (row: T) => string): Column<T> => [
  heading.padStart(NUMBER_COLUMNS),
  NUMBER_COLUMNS,
  (row) => of(row).padStart(NUMBER_COLUMNS),
];

function duration(heading: string, of: (result: Result) => number | null): Column<Taken> {
  return numberColumn(heading, ({ results }) => {
    const mains = results.flatMap(([main]) => main ?? []);
    const good = mains.filter(({ ok }) => ok);
    return medianOf(good.length > 0 ? good : mains, of)?.toFixed(1) ?? '-';
  });
}

const lastOf = ({ results }: Taken) => results.at(-1)?.[0];
const protocolOf = (result: Result | undefined) =>
  [result?.tls?.version, result?.http && `HTTP/${result.http.version}`].filter(Boolean).join(' ');

/** Failures, the first one in words; findings that are more than information; whether the machine was too busy to measure. */
function wrongWith(results: readonly Result[], machine: string): string {
  const [first, ...more] = results.flatMap(({ failure }) => failure ?? []);
  const often = results.length > 1 ? ` (${1 + more.length} of ${results.length} probes failed)` : '';
  const findings = results.flatMap((each) => each.findings).filter(({ severity }) => severity !== 'info');
  return [
    ...(first ? [`${first.reason}: ${first.message}${often}`] : []),
    ...new Set(findings.map(({ code }) => code)),
    ...(results.every(({ prober }) => prober.clean) ? [] : [`${machine} was busy`]),
  ].join('; ');
}
