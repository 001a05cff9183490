import { parse } from 'yaml';
import type { z } from 'zod';
import { TargetConfiguration } from '#contract/configuration.ts';
import { settingProblems } from '#contract/settings-problems.ts';
import {
  MAX_PERIOD_SECONDS,
  MAX_REDIRECTS,
  MAX_TAG,
  MIN_PERIOD_SECONDS,
  ProbeRequestSettings,
  Tag,
} from '#contract/target.ts';
import { StartError } from '../start-error.ts';

// What another monitor watches, as targets of ours. Nothing of it gets lost without a word: what is left out is named with the reason.

/** A monitor as a target. `group` tells two of one name apart; `without` is what of the monitor the target lacks. */
export type Taken = { target: z.input<typeof TargetConfiguration>; group: string; without: string[] };
/** What was left out, whole, and why. */
type Left = { name: string; reasons: string[] };
export type Imported = { taken: Taken[]; left: Left[] };

/** Collects what is taken over and what is not. */
export class Import {
  readonly #taken: Taken[] = [];
  readonly #left: Left[] = [];

  /** A target, or why there is none. */
  add(name: string, taken: Taken | string): void {
    if (typeof taken === 'string') this.leave(name, taken);
    else this.#taken.push(taken);
  }

  leave(name: string, ...reasons: string[]): void {
    this.#left.push({ name, reasons });
  }

  /** All of it: namesakes by the names of their groups as well, without what is no target. */
  end(): Imported {
    const counts = Map.groupBy(this.#taken, ({ target }) => target.name);
    const seen = new Set<string>();
    const taken = this.#taken.flatMap((each) => {
      const { target, group } = each;
      const isNamesake = (counts.get(target.name) ?? []).length > 1 && group !== '';
      const name = isNamesake ? `${group}/${target.name}` : target.name;
      const problems = seen.has(name) ? ['another has this name'] : problemsOf({ ...target, name });
      seen.add(name);
      if (problems.length === 0) return [{ ...each, target: { ...target, name } }];
      this.leave(name, ...problems);
      return [];
    });
    return { taken, left: this.#left };
  }
}

/** Why no target can be made of this. */
function problemsOf(target: Taken['target']): string[] {
  const { data, error } = TargetConfiguration.safeParse(target);
  if (!data) return error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  return settingProblems(data.settings).map(({ field, message }) => `settings.${field} ${message}`);
}

/** What a YAML file says. Throws StartError where it is none. */
export function parseYaml(text: string): unknown {
  try {
    return parse(text, { merge: true, logLevel: 'error' });
  } catch (error) {
    // The lines after the first are of the file, which may have passwords.
    const [what = ''] = (error as Error).message.split('\n');
    throw new StartError(`The file is no YAML: ${what.replace(/:$/, '.')}`);
  }
}

const UNITS: Record<string, number> = {
  ...{ ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3_600 },
  ...{ d: 86_400, w: 604_800, y: 31_536_000 },
};

/** A duration as Go and Prometheus write it, `1h30m`, in s; null where it is none. */
export function secondsOf(duration: string): number | null {
  const parts = [...duration.matchAll(/([\d.]+)(ns|us|µs|ms|[smhdwy])/g)];
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== duration) return null;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
}

/** Why an address is none of a target, without what may be a password in it. */
export const noHttps = (url: string) =>
  `its address begins with ${/^\w+:(\/\/)?/.exec(url)?.[0] ?? 'no scheme'}, not with https://`;

/** An address without what may be a secret in it: user and password, and parameters. */
export const openAddress = (address: string) => address.replace(/^(\w+:\/\/)?[^/?#]*@/, '$1').replace(/[?#].*$/s, '');

/** Names as tags, each one word; says of which no character may stand in a tag. */
export function tagsOf(names: string[], without: string[]): string[] {
  const tags = names.filter(Boolean).flatMap((name) => {
    const tag = name
      .trim()
      .replace(/[^\p{L}\p{M}\p{N}._:/-]+/gu, '-')
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .slice(0, MAX_TAG);
    if (Tag.safeParse(tag).success) return [tag];
    without.push(`the tag ${name}`);
    return [];
  });
  return [...new Set(tags)];
}

/** A period that a target can have, in s; says where it is another. */
export function periodOf(seconds: number, without: string[]): number {
  const period = Math.min(MAX_PERIOD_SECONDS, Math.max(MIN_PERIOD_SECONDS, Math.round(seconds)));
  if (period !== seconds) without.push(`its interval of ${seconds} s, in place of which it has ${period} s`);
  return period;
}

/** As many redirects as a target can follow; says where they are fewer. */
export function redirectsOf(count: number, without: string[]): number {
  if (count > MAX_REDIRECTS) without.push(`redirects beyond ${MAX_REDIRECTS}`);
  return Math.min(count, MAX_REDIRECTS);
}

/** Those of these headers that a probe can send; says which it cannot. */
export function headersOf(headers: Record<string, string>, without: string[]): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const header = { name, value };
    if (ProbeRequestSettings.safeParse({ headers: [header] }).success) return [header];
    without.push(`the header ${name}`);
    return [];
  });
}

/** What was left out, a line for each name; empty where nothing was. */
export function leftText({ taken, left }: Imported): string {
  const partly = taken.filter(({ without }) => without.length > 0);
  return [
    ...(left.length > 0 ? ['Not taken over:'] : []),
    ...left.map(({ name, reasons }) => `  ${name}: ${reasons.join('; ')}`),
    ...(partly.length > 0 ? ['Taken over without a part:'] : []),
    ...partly.map(({ target, without }) => `  ${target.name}: ${without.join('; ')}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
