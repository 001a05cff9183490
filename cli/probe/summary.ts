import type { Phases, Result } from '#contract/result.ts';
import { milliseconds } from './waterfall.ts';

const ROWS: [keyof Phases, string][] = [
  ['dns', 'dns'],
  ['tcp', 'tcp'],
  ['tls', 'tls'],
  ['firstByte', 'first byte'],
  ['download', 'download'],
  ['total', 'total'],
];

/** Counts and durations of several probes; durations are of those that succeeded. Keeps numbers, not Results. */
export class Summary {
  failures = 0;
  #count = 0;
  #unclean = 0;
  readonly #reasons = new Map<string, number>();
  readonly #durations = new Map<keyof Phases, number[]>(ROWS.map(([phase]) => [phase, []]));

  add({ ok, failure, phases, prober }: Result): void {
    this.#count += 1;
    if (!prober.clean) this.#unclean += 1;
    if (failure) this.#reasons.set(failure.reason, (this.#reasons.get(failure.reason) ?? 0) + 1);
    if (!ok) {
      this.failures += 1;
      return;
    }
    for (const [phase, values] of this.#durations) {
      const value = phases[phase];
      if (value !== null) values.push(value);
    }
  }

  /** The table for people; `tookMs` is how long all of it took. */
  text(tookMs: number): string {
    const rate = ((this.#count * 1_000) / Math.max(tookMs, 1)).toFixed(1);
    const head = `${this.#count} probes in ${(tookMs / 1_000).toFixed(2)} s (${rate}/s), ${this.failures} failed`;
    const reasons = [...this.#reasons].map(([reason, count]) => `  ${reason}: ${count}`);
    const unclean = this.#unclean > 0 ? [`  ${this.#unclean} taken while this machine was busy (not clean)`] : [];
    const title = `  ${''.padEnd(11)}${['p50', 'p95', 'max'].map((name) => name.padStart(10)).join('')}`;
    const rows = ROWS.flatMap(([phase, label]) => this.#row(phase, label));
    return `${[head, ...reasons, ...unclean, ...(rows.length > 0 ? [title, ...rows] : [])].join('\n')}\n`;
  }

  #row(phase: keyof Phases, label: string): string[] {
    const values = (this.#durations.get(phase) ?? []).sort((a, b) => a - b);
    if (values.length === 0) return [];
    const shown = [0.5, 0.95, 1].map((share) => milliseconds(quantile(values, share)));
    return [`  ${label.padEnd(11)}${shown.join('')}`];
  }
}

/** The nearest-rank quantile of ascending values. */
export function quantile(ascending: number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? Number.NaN;
}
