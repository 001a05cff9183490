import type { Result } from '#contract/result.ts';
import type { ExitStatus } from './conditions.ts';
import { type Probed, probeInTurn } from './in-turn.ts';
import { milliseconds, row, screenColumns, signedMs } from './layout.ts';
import { harmless, type Paint, paintFor, wantsColour } from './paint.ts';
import type { Plan } from './plan.ts';
import { medianOf } from './summary.ts';
import { judgementOf, verdictLines } from './verdict.ts';

/** Probes both addresses in turn, and prints them side by side. */
export function compareAndPrint(plans: readonly [Plan, Plan], json: boolean): Promise<ExitStatus> {
  const both: [Probed, Probed] = [
    { plan: plans[0], results: [] },
    { plan: plans[1], results: [] },
  ];
  const paint = paintFor(wantsColour(process.stdout, process.env));
  return probeInTurn(both, { after: () => '', conclusion: () => comparisonText(both, paint) }, json);
}

const NAMES = ['A', 'B'] as const;
const LABEL_COLUMNS = 15;
const CELL_COLUMNS = 11;
const BAR_COLUMNS = 60;

/** Rows of durations, and of what is the same in all Results of a server. */
const TIMES: [string, (result: Result) => number | null][] = [
  ['dns', ({ phases }) => phases.dns],
  ['tcp', ({ phases }) => phases.tcp],
  ['tls', ({ phases }) => phases.tls],
  ['first byte', ({ phases }) => phases.firstByte],
  ['first body', ({ phases }) => phases.firstBody ?? null],
  ['download', ({ phases }) => phases.download],
  ['total', ({ phases }) => phases.total],
];
const COUNTS: [string, (result: Result) => number | null][] = [
  ['tls trips', ({ roundTrips }) => roundTrips?.tls.took ?? null],
  ['answer trips', ({ roundTrips }) => roundTrips?.firstBody?.took ?? roundTrips?.firstByte.took ?? null],
  ['handshake in', ({ tls }) => tls?.handshake.bytesIn ?? null],
  ['certificates', ({ tls }) => tls?.certificate?.chainBytes ?? null],
  ['first record', ({ http }) => http?.firstRecordBytes ?? null],
  ['body', ({ http }) => http?.bytes ?? null],
];
const SETTINGS: [string, (result: Result) => string | null][] = [
  ['version', ({ tls }) => tls?.version ?? null],
  ['cipher', ({ tls }) => tls?.cipher ?? null],
  ['group', ({ tls }) => tls?.group ?? null],
  [
    'key',
    ({ tls }) => (tls?.certificate ? `${tls.certificate.keyType} ${tls.certificate.keyBits ?? ''}`.trim() : null),
  ],
  ['http', ({ http }) => (http ? `HTTP/${http.version} ${http.status}` : null)],
  ['server', ({ http }) => http?.server ?? null],
  ['staple', ({ tls }) => tls?.staple.status ?? null],
];
/** Parts of a bar, in their order. */
const PARTS: [(result: Result) => number | null, keyof Paint, string][] = [
  [({ phases }) => phases.dns, 'cyan', '░'],
  [({ phases }) => phases.tcp, 'green', '▒'],
  [({ phases }) => phases.tls, 'magenta', '█'],
  [({ phases }) => phases.firstByte, 'yellow', '▓'],
  [({ phases }) => phases.download, 'blue', '░'],
];

/** Both side by side: medians, what each is set to where they differ, round trips wasted, findings of one alone. */
export function comparisonText(both: readonly [Probed, Probed], paint: Paint): string {
  const mains = both.map(({ results }) => results.flatMap(([main]) => (main ? [main] : []))) as [Result[], Result[]];
  const lines = [
    ...both.map(({ plan }, index) => {
      const failed = mains[index]?.filter(({ ok }) => !ok) ?? [];
      const reasons = [...new Set(failed.map(({ failure }) => failure?.reason ?? ''))].join(', ');
      const said = failed.length === 0 ? '' : paint.red(`, ${failed.length} failed (${reasons})`);
      return row(NAMES[index] ?? '', `${paint.bold(harmless(plan.url))}, ${mains[index]?.length} probed${said}`);
    }),
    '',
    cells('', 'A', 'B', 'B - A'),
    ...TIMES.flatMap(([name, of]) => timeLine(name, mains, of)),
    ...barLines(mains, paint),
    '',
    ...COUNTS.flatMap(([name, of]) => countLine(name, mains, of)),
    ...SETTINGS.flatMap(([name, of]) => settingLines(name, mains, of)),
    ...both.flatMap(({ plan, results }, index) =>
      verdictLines(judgementOf(results, plan.settings), paint).map((line) =>
        line.replace('verdict  ', `verdict ${NAMES[index]}`),
      ),
    ),
    ...findingLines(mains),
  ];
  return `${lines.join('\n')}\n`;
}

const cells = (label: string, ...texts: string[]) =>
  `  ${label}`.padEnd(LABEL_COLUMNS) + texts.map((text) => text.trim().padStart(CELL_COLUMNS)).join('');

type Mains = readonly [Result[], Result[]];

/** Medians of what succeeded and was measured by a machine at rest; of all, where none was. */
function medians(mains: Mains, of: (result: Result) => number | null): [number | null, number | null] {
  const median = (results: Result[]) =>
    medianOf(
      results.filter(({ ok }) => ok),
      of,
    );
  return [median(mains[0]), median(mains[1])];
}

function timeLine(name: string, mains: Mains, of: (result: Result) => number | null): string[] {
  const [a, b] = medians(mains, of);
  if (a === null && b === null) return [];
  return [cells(name, milliseconds(a), milliseconds(b), a === null || b === null ? '-' : signedMs(b - a))];
}

function countLine(name: string, mains: Mains, of: (result: Result) => number | null): string[] {
  const [a, b] = medians(mains, of);
  if (a === null && b === null) return [];
  const change = a === null || b === null ? '-' : `${b > a ? '+' : ''}${b - a}`;
  return [cells(name, `${a ?? '-'}`, `${b ?? '-'}`, change)];
}

/** What both are set to is said once; where they differ, each has its line. */
function settingLines(name: string, mains: Mains, of: (result: Result) => string | null): string[] {
  const [a, b] = mains.map((results) => [...new Set(results.flatMap((result) => of(result) ?? []))].join(', '));
  if (!a && !b) return [];
  if (a === b) return [row(name, harmless(a ?? ''))];
  return [row(name, `A: ${harmless(a || '-')}`), row('', `B: ${harmless(b || '-')}`)];
}

function barLines(mains: Mains, paint: Paint): string[] {
  const parts = PARTS.map(([of, colour, block]) => ({ colour, block, times: medians(mains, of) }));
  const total = (index: 0 | 1) => parts.reduce((sum, { times }) => sum + (times[index] ?? 0), 0);
  const width = Math.min(BAR_COLUMNS, screenColumns() - LABEL_COLUMNS);
  const scale = width / Math.max(total(0), total(1), 0.001);
  return ([0, 1] as const).map((index) => {
    const drawn = parts.map(({ colour, block, times }) =>
      paint[colour](block.repeat(Math.round((times[index] ?? 0) * scale))),
    );
    return `  ${NAMES[index]}`.padEnd(LABEL_COLUMNS) + drawn.join('');
  });
}

/** Findings of one of them alone. */
function findingLines(mains: Mains): string[] {
  const codes = mains.map((results) => new Set(results.flatMap(({ findings }) => findings.map(({ code }) => code))));
  return ([0, 1] as const).flatMap((index) => {
    const alone = [...(codes[index] ?? [])].filter((code) => !codes[1 - index]?.has(code));
    return alone.length === 0 ? [] : [row('finding', `in ${NAMES[index]} alone: ${alone.join(', ')}`)];
  });
}
