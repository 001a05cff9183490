import { type Errors, errorsOf, FIGURES, type Figure, honestyOf, WRONG_BY_MS } from './truth-errors.ts';
import type { CpuEntry, Entry, Raced } from './truth-race.ts';

type Row = (string | number)[];

/** A Markdown table. */
export function table(head: string[], rows: Row[]): string {
  const line = (cells: Row) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

const COLUMNS: [name: string, figure: Figure][] = [
  ['connect', FIGURES.connect],
  ['TLS on the wire', FIGURES.wire],
  ['TLS phase', FIGURES.phase],
  ['first byte', FIGURES.firstByte],
];

/** Signed errors of all tools under one load. */
export function errorTable(entries: Entry[]): string {
  const head = ['tool', 'probes', 'a second', ...COLUMNS.map(([name]) => `${name}: p50 / p95 / p99`)];
  return table(head, entries.map(errorRow));
}

/** One tool's, or one load's, row of such a table. */
export function errorRow({ tool, raced }: { tool: { name: string }; raced: Entry['raced'] }): Row {
  if (typeof raced === 'string') return [tool.name, raced, ...Array<string>(COLUMNS.length + 1).fill('')];
  const errors = COLUMNS.map(([, figure]) => threeOf(errorsOf(raced.pairs, figure)));
  return [tool.name, probesOf(raced), raced.perSecond.toFixed(raced.perSecond < 100 ? 1 : 0), ...errors];
}

function probesOf({ run, pairs }: Raced): string {
  const unmatched = run.told.length - pairs.length;
  const notes = [
    ...(run.failed > 0 ? [`${run.failed} failed`] : []),
    ...(unmatched > 0 ? [`${unmatched} not found in the capture`] : []),
  ];
  return [`${pairs.length}`, ...notes].join(', ');
}

function threeOf(errors: Errors | null): string {
  if (errors === null) return 'not told';
  return [errors.p50, errors.p95, errors.p99].map(signed).join(' / ');
}

function signed(ms: number): string {
  const digits = Math.abs(ms) < 10 ? 2 : 0;
  return `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(digits)}`;
}

/** What Roundtrip alone says, one row a load. */
export function ownTable(entries: { load: string; raced: Raced }[]): string {
  const head = ['load', 'kernel RTT − connect', 'first packet', 'first usable byte', 'not clean'];
  head.push(`wrong by over ${WRONG_BY_MS} ms`, 'of these not clean', 'the others are wrong by');
  return table(
    head,
    entries.map(({ load, raced: { pairs } }) => {
      const { unclean, wrong, confessed, hidden } = honestyOf(pairs);
      const share = wrong === 0 ? '' : ` (${((100 * confessed) / wrong).toFixed(0)}%)`;
      const errors = [FIGURES.kernelRtt, FIGURES.firstPacket, FIGURES.firstUsable];
      const told = errors.map((figure) => threeOf(errorsOf(pairs, figure)));
      return [
        load,
        ...told,
        `${unclean} of ${pairs.length}`,
        wrong,
        `${confessed}${share}`,
        hidden.slice(0, 20).join(', '),
      ];
    }),
  );
}

/** CPU time a probe, and how it compares with the last tool's: plain Node. */
export function cpuTable(handshake: CpuEntry[], page: CpuEntry[], plain: string): string {
  const head = ['tool', 'handshake with staple: user + system = CPU ms', `against ${plain}`];
  head.push('with HTTP/2 fetch: user + system = CPU ms', `against ${plain}`);
  const rows = handshake.map(({ tool, cost }, at): Row => {
    const fetched = page[at]?.cost ?? '';
    return [tool.name, ...cpuCells(cost, handshake, plain), ...cpuCells(fetched, page, plain)];
  });
  return table(head, rows);
}

function cpuCells(cost: CpuEntry['cost'], entries: CpuEntry[], plain: string): Row {
  if (typeof cost === 'string') return [cost, ''];
  const total = cost.userMs + cost.systemMs;
  const base = entries.find(({ tool }) => tool.name === plain)?.cost;
  const ratio =
    base === undefined || typeof base === 'string' ? '' : (total / (base.userMs + base.systemMs)).toFixed(2);
  return [`${cost.userMs.toFixed(2)} + ${cost.systemMs.toFixed(2)} = ${total.toFixed(2)}`, ratio && `× ${ratio}`];
}

/** Memory of all tools with many probes in flight. */
export function memoryTable(entries: Entry[]): string {
  const mebibytes = (kilobytes: number) => `${(kilobytes / 1_024).toFixed(0)} MiB`;
  return table(
    ['tool', 'probes', 'in flight at once', 'VmHWM', 'most VmRSS'],
    entries.map(({ tool, raced }) => {
      if (typeof raced === 'string') return [tool.name, raced, '', '', ''];
      const { open, hwmKb, rssKb } = raced.run.peak;
      return [tool.name, probesOf(raced), open, mebibytes(hwmKb), mebibytes(rssKb)];
    }),
  );
}
