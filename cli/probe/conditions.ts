import { InvalidArgumentError } from 'commander';
import { firstToEnd } from '#contract/certificate.ts';
import type { Result } from '#contract/result.ts';
import { LABEL_WIDTH, ms } from './layout.ts';
import { harmless } from './paint.ts';

/** One condition of `--fail-if`, as it was written; `limit` is in milliseconds, or an HTTP status. */
export type Condition = { text: string; field: keyof typeof FIELDS; operator: keyof typeof OPERATORS; limit: number };

/** A condition that a probe met, and the value that it found. */
type Met = { text: string; url: string; value: string };

/** Exit status of the command: every probe succeeded, one failed, or none did but a condition of `--fail-if` was met. */
export type ExitStatus = 0 | 1 | 3;

/** Most conditions of one `--fail-if`. */
export const MAX_CONDITIONS = 16;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The factors of units; `''` is a value without a unit. */
type Kind = { units: Record<string, number>; shown(value: number): string };
const DURATION: Kind = { units: { '': 1, ms: 1, s: 1_000 }, shown: ms };
const REMAINING: Kind = { units: { d: DAY_MS, h: HOUR_MS }, shown: (value) => `${(value / DAY_MS).toFixed(2)} d` };
const STATUS: Kind = { units: { '': 1 }, shown: String };

const FIELDS = {
  dns: { kind: DURATION, of: ({ phases }: Result) => phases.dns },
  connect: { kind: DURATION, of: ({ phases }: Result) => phases.tcp },
  tls: { kind: DURATION, of: ({ phases }: Result) => phases.tls },
  firstByte: { kind: DURATION, of: ({ phases }: Result) => phases.firstByte },
  download: { kind: DURATION, of: ({ phases }: Result) => phases.download },
  total: { kind: DURATION, of: ({ phases }: Result) => phases.total },
  expiry: { kind: REMAINING, of: remainingMs },
  status: { kind: STATUS, of: ({ http }: Result) => http?.status ?? null },
};
/** Other names of fields: curl's, and that of the phase. */
const ALIASES: Record<string, keyof typeof FIELDS> = { ttfb: 'firstByte', tcp: 'connect' };

const OPERATORS = {
  '>': (value: number, limit: number) => value > limit,
  '>=': (value: number, limit: number) => value >= limit,
  '<': (value: number, limit: number) => value < limit,
  '<=': (value: number, limit: number) => value <= limit,
  '=': (value: number, limit: number) => value === limit,
  '!=': (value: number, limit: number) => value !== limit,
};

const KNOWN =
  'dns, connect (or tcp), tls, firstByte (or ttfb), download and total with ms (default) or s, expiry with d or h, ' +
  `status; each with one of ${Object.keys(OPERATORS).join(' ')} and a number`;

/** The conditions of `--fail-if`: `tls>200,expiry<14d`. */
export function failIfArgument(text: string): Condition[] {
  const conditions = text.split(',').map((one) => conditionOf(one.trim()));
  if (conditions.length <= MAX_CONDITIONS) return conditions;
  throw new InvalidArgumentError(`There are more than ${MAX_CONDITIONS} conditions.`);
}

function conditionOf(text: string): Condition {
  const [, name = '', operator = '', number = '', unit = ''] =
    /^([a-z]+)\s*([<>]=?|!?=)\s*(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
  const names = [...Object.keys(FIELDS), ...Object.keys(ALIASES)];
  const known = names.find((each) => each.toLowerCase() === name.toLowerCase());
  const field = known && (ALIASES[known] ?? (known as keyof typeof FIELDS));
  const factor = field && new Map(Object.entries(FIELDS[field].kind.units)).get(unit.toLowerCase());
  if (!field || !factor) throw new InvalidArgumentError(`'${text}' is no condition. Known: ${KNOWN}.`);
  return { text, field, operator: operator as Condition['operator'], limit: Number(number) * factor };
}

/** Until the first certificate of the verified path ends, from the start of the probe (ms). */
function remainingMs({ tls, startedAt }: Result): number | null {
  const notAfter = tls?.certificate && firstToEnd(tls.certificate).notAfter;
  return notAfter ? Date.parse(notAfter) - Date.parse(startedAt) : null;
}

/** The conditions that a main Result meets. One whose value is unknown is met: nothing shows that all is well. */
export function metBy(result: Result, conditions: readonly Condition[] = []): Met[] {
  if ((result.variant ?? 'main') !== 'main') return [];
  return conditions.flatMap(({ text, field, operator, limit }) => {
    const { kind, of } = FIELDS[field];
    const value = of(result);
    if (value !== null && !OPERATORS[operator](value, limit)) return [];
    return [{ text, url: result.url, value: value === null ? 'unknown' : kind.shown(value) }];
  });
}

/** What all probes met: each condition of each URL once, with the first value that was found. */
export class MetConditions {
  readonly #met = new Map<string, Met & { times: number }>();

  add(met: readonly Met[]): void {
    for (const one of met) {
      const key = `${one.text} ${one.url}`;
      const known = this.#met.get(key) ?? { ...one, times: 0 };
      this.#met.set(key, { ...known, times: known.times + 1 });
    }
  }

  /** A line for each, on standard error where standard output is JSON. */
  print(json: boolean): void {
    const [stream, label] = json
      ? [process.stderr, 'roundtrip: fail-if ']
      : [process.stdout, `  ${'fail-if'.padEnd(LABEL_WIDTH)}`];
    for (const { text, url, value, times } of this.#met.values()) {
      const often = times > 1 ? ` at first, in ${times} probes` : '';
      stream.write(`${label}${text}: ${value}${often}, ${harmless(url)}\n`);
    }
  }

  exitStatus(failures: number): ExitStatus {
    if (failures > 0) return 1;
    return this.#met.size > 0 ? 3 : 0;
  }
}
