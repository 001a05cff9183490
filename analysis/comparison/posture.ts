import { medianOf } from '#analysis/detection/statistics.ts';
import type { Setting, SettingShares } from '#contract/comparison.ts';
import { SETTINGS } from '#contract/comparison.ts';
import type { Sample } from './sample.ts';

/** A setting flipped where at least so large a share of the results has another value. */
const FLIPPED = 0.5;
/** With fewer results on a side nothing is said of a setting, or of a vantage: of two, one that is odd is half. */
export const LEAST_RESULTS = 3;
/** Values of a setting that are listed; the rest is left out. */
const MOST_VALUES = 8;
/** By how much a number differs where it flips: in its unit, or as a share of the larger. */
export const TOLERANCES: Partial<Record<Setting, { least: number; share: number }>> = {
  chainBytes: { least: 150, share: 0.08 },
  recordBytes: { least: 200, share: 0.25 },
  serverWindow: { least: 2, share: 0.2 },
};

/** Settings whose shares are worth a table: those of few values. */
const SHOWN: readonly Setting[] = ['version', 'alpn', 'group', 'cipher', 'keyType', 'staple', 'resumed', 'encoding'];

/** What a flip changed, and which flip it is a part of. */
export type Flip = { setting: Setting; before: string; after: string; share: number; partOf: Setting | null };

/**
 * What a change brings along by itself: TLS 1.3 has ciphers of its own, another key another certificate. The first that flipped
 * counts.
 */
export const BROUGHT_BY: Partial<Record<Setting, readonly Setting[]>> = {
  cipher: ['version', 'keyExchange', 'keyType'],
  keyExchange: ['version'],
  group: ['version', 'keyExchange'],
  helloRetry: ['group'],
  tickets: ['version'],
  certificateCompression: ['version'],
  certificate: ['keyType', 'issuer', 'chainBytes'],
  issuer: ['keyType'],
  chainBytes: ['keyType', 'issuer'],
  recordBytes: ['alpn'],
  keepAlive: ['alpn'],
};

/** The settings that flipped between two sets of results, in the order of SETTINGS. */
export function flipsOf(before: readonly Sample[], after: readonly Sample[]): Flip[] {
  const flips = SETTINGS.flatMap((setting) => flipOf(setting, seen(before, setting), seen(after, setting)) ?? []);
  const flipped = new Set(flips.map(({ setting }) => setting));
  return flips.map((flip) => ({
    ...flip,
    partOf: BROUGHT_BY[flip.setting]?.find((cause) => flipped.has(cause)) ?? null,
  }));
}

type Seen = readonly (string | number)[];

/** What a setting was in those samples that saw it. */
export function seen(samples: readonly Sample[], setting: Setting): Seen {
  const values: (string | number)[] = [];
  for (const { posture } of samples) if (posture[setting] !== null) values.push(posture[setting]);
  return values;
}

function flipOf(setting: Setting, before: Seen, after: Seen): Omit<Flip, 'partOf'> | null {
  if (before.length < LEAST_RESULTS || after.length < LEAST_RESULTS) return null;
  const tolerance = TOLERANCES[setting];
  return tolerance
    ? numberFlip(setting, before as number[], after as number[], tolerance)
    : textFlip(setting, before, after);
}

function textFlip(setting: Setting, before: Seen, after: Seen): Omit<Flip, 'partOf'> | null {
  const early = sharesOf(before);
  const late = sharesOf(after);
  let share = 0;
  for (const [value, part] of late) share += Math.max(0, part - (early.get(value) ?? 0));
  const [from, to] = [commonest(early), commonest(late)];
  return share < FLIPPED || from === to ? null : { setting, before: from, after: to, share };
}

function numberFlip(
  setting: Setting,
  before: number[],
  after: number[],
  { least, share }: { least: number; share: number },
): Omit<Flip, 'partOf'> | null {
  const [from, to] = [medianOf(before), medianOf(after)];
  const differs = (value: number) => Math.abs(value - from) > Math.max(least, share * Math.max(value, from));
  const moved = after.filter(differs).length / after.length - before.filter(differs).length / before.length;
  if (!differs(to) || moved < FLIPPED) return null;
  return { setting, before: String(Math.round(from)), after: String(Math.round(to)), share: moved };
}

/** The share of each value. */
export function sharesOf(values: Seen): Map<string, number> {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return new Map([...counts].map(([value, count]) => [String(value), count / values.length]));
}

const commonest = (shares: Map<string, number>): string =>
  [...shares].reduce((most, entry) => (entry[1] > most[1] ? entry : most))[0];

/** How often each value of the settings that pages show was seen on either side; those that too few saw are left out. */
export function settingShares(before: readonly Sample[], after: readonly Sample[]): SettingShares[] {
  return SHOWN.flatMap((setting) => {
    const both = [seen(before, setting), seen(after, setting)] as const;
    if (both.some(({ length }) => length < LEAST_RESULTS)) return [];
    const [early, late] = [sharesOf(both[0]), sharesOf(both[1])];
    const values = [...new Set([...early.keys(), ...late.keys()])].map((value) => ({
      value,
      before: Math.min(1, early.get(value) ?? 0),
      after: Math.min(1, late.get(value) ?? 0),
    }));
    return { setting, values: values.sort((a, b) => b.before + b.after - a.before - a.after).slice(0, MOST_VALUES) };
  });
}

/** The median of what a numeric setting was, or the commonest text; null where too few saw it. */
export function usualOf(samples: readonly Sample[], setting: Setting): string | number | null {
  const values = seen(samples, setting);
  if (values.length < LEAST_RESULTS) return null;
  return TOLERANCES[setting] ? medianOf(values as number[]) : commonest(sharesOf(values));
}
