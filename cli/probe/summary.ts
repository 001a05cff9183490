import type { Finding, Result } from '#contract/result.ts';
import type { FailureReason } from '#probe/failure.ts';
import { type Condition, MetConditions, metBy } from './conditions.ts';
import { milliseconds, ms, plural, row } from './layout.ts';
import { harmless } from './paint.ts';
import type { RunReport } from './run.ts';

/** The rows of the table in their order. */
const ROWS = [
  'dns',
  'tcp',
  'tls',
  'wire',
  'first byte',
  'download',
  'total',
  'tls resumed',
  'tls rsa',
  'tls ecdsa',
] as const;
type Row = (typeof ROWS)[number];

/** The little that a summary needs of a Result. `durations` (ms) are those of a probe that succeeded. */
export type Sample = {
  main: boolean;
  ok: boolean;
  clean: boolean;
  reason: FailureReason | null;
  durations: [Row, number][];
  findings: Result['findings'];
  met: ReturnType<typeof metBy>;
};

/** A finding in some of the probes: in how many, and what it costs each of them. */
type Found = {
  severity: Finding['severity'];
  times: number;
  trips: number | null;
  savesMs: number[];
  evidence: string;
};

/** `conditions` are those of `--fail-if`. */
export function sampleOf(result: Result, conditions?: readonly Condition[]): Sample {
  const { ok, failure, prober, variant = 'main' } = result;
  const durations = ok ? durationsOf(result) : [];
  const main = variant === 'main';
  const findings = variant === 'redirect' ? [] : result.findings;
  return {
    main,
    ok,
    clean: prober.clean,
    reason: failure?.reason ?? null,
    durations,
    findings,
    met: metBy(result, conditions),
  };
}

function durationsOf({ variant = 'main', phases, tls }: Result): [Row, number][] {
  if (variant === 'redirect' || variant === 'reuse') return [];
  const all: [Row, number | null][] =
    variant === 'main'
      ? [
          ['dns', phases.dns],
          ['tcp', phases.tcp],
          ['tls', phases.tls],
          ['wire', tls?.handshake.wireMs ?? null],
          ['first byte', phases.firstByte],
          ['download', phases.download],
          ['total', phases.total],
        ]
      : [[`tls ${variant}`, phases.tls]];
  return all.filter((each): each is [Row, number] => each[1] !== null);
}

/** Counts and durations of several probes. Keeps numbers, not Results. Durations that are not clean are kept apart. */
export class Summary {
  failures = 0;
  readonly met = new MetConditions();
  #probes = 0;
  #followers = 0;
  #unclean = 0;
  readonly #reasons = new Map<string, number>();
  readonly #clean = new Map<Row, number[]>();
  readonly #late = new Map<Row, number[]>();
  readonly #found = new Map<Finding['code'], Found>();

  add({ main, ok, clean, reason, durations, findings, met }: Sample): void {
    this.met.add(met);
    if (main) this.#probes += 1;
    else this.#followers += 1;
    if (!clean) this.#unclean += 1;
    if (!ok) this.failures += 1;
    if (reason) this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    const table = clean ? this.#clean : this.#late;
    for (const [row, value] of durations) {
      const values = table.get(row);
      if (values) values.push(value);
      else table.set(row, [value]);
    }
    for (const finding of findings) this.#addFinding(finding);
  }

  #addFinding({ code, severity, savesRoundTrips, savesMs, evidence }: Finding): void {
    const found = this.#found.get(code) ?? { severity, times: 0, trips: null, savesMs: [], evidence };
    found.times += 1;
    if (savesRoundTrips !== null) found.trips = (found.trips ?? 0) + savesRoundTrips;
    if (savesMs !== null) found.savesMs.push(savesMs);
    this.#found.set(code, found);
  }

  /** Each finding once: in how many probes, its median cost and, with `explain`, the evidence where it was first seen. */
  findings(explain: boolean): string[] {
    const costOf = ({ savesMs }: Found) => savesMs.reduce((sum, value) => sum + value, 0);
    const sorted = [...this.#found].toSorted(([, a], [, b]) => costOf(b) - costOf(a) || b.times - a.times);
    return sorted.flatMap(([code, { severity, times, trips, savesMs, evidence }]) => {
      const median = quantile(Float64Array.from(savesMs).sort(), 0.5);
      const saved = trips === null ? '' : `${plural(Math.round(trips / times), 'round trip')}, `;
      const saves = savesMs.length === 0 ? '' : `: saves ${saved}${ms(median)}`;
      const probes = this.#probes + this.#followers;
      return [
        row('finding', `${severity} ${code} in ${times} of ${plural(probes, 'probe')}${saves}`),
        ...(explain ? [row('', harmless(`${evidence}.`))] : []),
      ];
    });
  }

  /** The table for people; `tookMs` is how long all of it took, and `reports` come from the threads that ended. */
  text(tookMs: number, reports: RunReport[] = []): string {
    const rate = startRate(reports) ?? (this.#probes * 1_000) / Math.max(tookMs, 1);
    const took = `in ${(tookMs / 1_000).toFixed(2)} s (${rate.toFixed(1)}/s)`;
    const head = `${this.#probes} probes ${took}, ${this.failures} failed`;
    const followers =
      this.#followers > 0 ? [`  ${plural(this.#followers, 'further probe')} (resumed, pinned or redirected)`] : [];
    const reasons = [...this.#reasons].map(([reason, count]) => `  ${reason}: ${count}`);
    const table = this.#table();
    return `${[head, ...lateLines(reports), ...followers, ...reasons, ...this.#uncleanLines(), ...table].join('\n')}\n`;
  }

  #uncleanLines(): string[] {
    if (this.#unclean === 0) return [];
    const where = this.#clean.size > 0 ? ', excluded from the table' : '';
    return [`  ${this.#unclean} measured while this machine was busy (not clean)${where}`];
  }

  #table(): string[] {
    const source = this.#clean.size > 0 ? this.#clean : this.#late;
    if (source.size === 0) return [];
    const title = `  ${''.padEnd(11)}${['p50', 'p95', 'max'].map((name) => name.padStart(10)).join('')}`;
    return [title, ...ROWS.flatMap((row) => rowOf(row, source.get(row) ?? []))];
  }
}

function rowOf(row: Row, unsorted: number[]): string[] {
  if (unsorted.length === 0) return [];
  const values = Float64Array.from(unsorted).sort();
  return [`  ${row.padEnd(11)}${[0.5, 0.95, 1].map((share) => milliseconds(quantile(values, share))).join('')}`];
}

/** Starts a second, by the threads' own word; null where there is none. */
function startRate(reports: RunReport[]): number | null {
  const began = reports.filter(({ started }) => started > 0);
  const started = began.reduce((sum, report) => sum + report.started, 0);
  if (started < 2) return null;
  const tookMs = Math.max(...began.map(({ lastAt }) => lastAt)) - Math.min(...began.map(({ firstAt }) => firstAt));
  return ((started - 1) * 1_000) / Math.max(tookMs, 1);
}

/** A line where starts came after their turn. */
export function lateLines(reports: RunReport[]): string[] {
  const late = reports.reduce((sum, report) => sum + report.late, 0);
  if (late === 0) return [];
  const latest = Math.max(...reports.map(({ latestMs }) => latestMs));
  return [`  ${plural(late, 'start')} late, by up to ${ms(latest)}: the requested rate was not reached`];
}

/** The nearest-rank quantile of ascending values. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? Number.NaN;
}

/** The median of what was measured by a machine at rest; of all, where none was. Null where there is no value. */
export function medianOf(results: readonly Result[], of: (result: Result) => number | null): number | null {
  const clean = results.filter(({ prober }) => prober.clean);
  const values = (clean.length > 0 ? clean : results).flatMap((result) => of(result) ?? []);
  return values.length === 0 ? null : quantile(Float64Array.from(values).sort(), 0.5);
}
