import { ascending, medianOf } from '#analysis/detection/statistics.ts';
import { SETTINGS, type Setting } from '#contract/comparison.ts';
import { BROUGHT_BY, LEAST_RESULTS, seen, sharesOf, TOLERANCES } from './posture.ts';
import type { Sample } from './sample.ts';
import { isOtherShare } from './statistics.ts';

// A canary, or one of several servers behind a name that was changed: a part of a window's results has the new value of a setting, and
// their mean fits neither part. Such results are compared with those before that had the old value, and the rest with its like.

/** A value that so few results have, or all but so few, is that of none, or of all. */
const FEW = 0.05;
/** What a name with many addresses leads to differs from one window to the next by itself. */
const ROTATING: readonly Setting[] = ['peerAddress'];

/** A setting whose value `before` gave way to `after` in a part of the results; `share` is that of the results with `after`. */
export type Mixture = {
  setting: Setting;
  before: string;
  after: string;
  share: { before: number; after: number };
  /** The value that a result has; null where it could not see it. */
  valueIn: (sample: Sample) => string | null;
};

/** The first setting that changed in a part of the results, which no other such setting brought along; null where none did. */
export function mixtureOf(before: readonly Sample[], after: readonly Sample[]): Mixture | null {
  const mixtures = SETTINGS.flatMap((setting) => mixtureIn(setting, before, after) ?? []);
  const mixed = new Set(mixtures.map(({ setting }) => setting));
  return mixtures.find(({ setting }) => !BROUGHT_BY[setting]?.some((cause) => mixed.has(cause))) ?? null;
}

function mixtureIn(setting: Setting, before: readonly Sample[], after: readonly Sample[]): Mixture | null {
  const [early, late] = [seen(before, setting), seen(after, setting)];
  if (early.length < LEAST_RESULTS || late.length < LEAST_RESULTS) return null;
  const nameOf = namesOf(setting, [...early, ...late]);
  const [from, to] = [sharesOf(early.map(nameOf)), sharesOf(late.map(nameOf))];
  const gains = [...new Set([...from.keys(), ...to.keys()])]
    .map((value) => ({ value, before: from.get(value) ?? 0, after: to.get(value) ?? 0 }))
    .sort((a, b) => b.after - b.before - (a.after - a.before));
  const [risen, fallen] = [gains[0], gains.at(-1)] as [(typeof gains)[0], (typeof gains)[0]];
  const isWhole = (least: number, most: number) => least <= FEW && most >= 1 - FEW;
  if (isWhole(risen.before, risen.after) || isWhole(fallen.after, fallen.before)) return null;
  if (!isOtherShare(risen, early.length, late.length) || risen.value === fallen.value) return null;
  if (ROTATING.includes(setting) && risen.before > FEW && risen.after < 1 - FEW) return null;
  return {
    setting,
    before: fallen.value,
    after: risen.value,
    share: { before: risen.before, after: risen.after },
    valueIn: ({ posture }) => (posture[setting] === null ? null : nameOf(posture[setting])),
  };
}

/** What values are told apart by: numbers that lie within the setting's tolerance are one, called by their median. */
function namesOf(setting: Setting, values: readonly (string | number)[]): (value: string | number) => string {
  const tolerance = TOLERANCES[setting];
  if (!tolerance) return String;
  const groups: number[][] = [];
  for (const value of ascending(values as number[])) {
    const last = groups.at(-1);
    const reach = Math.max(tolerance.least, tolerance.share * value);
    if (last && value - (last[0] as number) <= reach) last.push(value);
    else groups.push([value]);
  }
  const named = groups.map((group) => ({ least: group[0] as number, name: String(Math.round(medianOf(group))) }));
  return (value) => named.findLast(({ least }) => least <= Number(value))?.name ?? String(value);
}
