import { CHINA_REGIONS } from '#contract/location.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';

/** Regions in the order people in China list them (GB/T 2260), those of other countries after them by code. */
export function orderRegions(regions: Iterable<string>): string[] {
  return ordered(regions, CHINA_REGIONS);
}

/** Carriers in the order telecom, unicom, mobile, ..., those of other names after them. */
export function orderCarriers(carriers: Iterable<string>): string[] {
  return ordered(carriers, KNOWN_CARRIERS);
}

function ordered(names: Iterable<string>, known: readonly string[]): string[] {
  const rank = (name: string) => (known.includes(name) ? known.indexOf(name) : known.length);
  return [...new Set(names)].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
