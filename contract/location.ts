import { z } from 'zod';
import { AccessType, KNOWN_CARRIERS } from './vocabulary.ts';

/** The 31 mainland province-level regions of China in the order of GB/T 2260, then Hong Kong, Macao and Taiwan (ISO 3166-2). */
export const CHINA_REGIONS = [
  'CN-BJ',
  'CN-TJ',
  'CN-HE',
  'CN-SX',
  'CN-NM',
  'CN-LN',
  'CN-JL',
  'CN-HL',
  'CN-SH',
  'CN-JS',
  'CN-ZJ',
  'CN-AH',
  'CN-FJ',
  'CN-JX',
  'CN-SD',
  'CN-HA',
  'CN-HB',
  'CN-HN',
  'CN-GD',
  'CN-GX',
  'CN-HI',
  'CN-CQ',
  'CN-SC',
  'CN-GZ',
  'CN-YN',
  'CN-XZ',
  'CN-SN',
  'CN-GS',
  'CN-QH',
  'CN-NX',
  'CN-XJ',
  'CN-HK',
  'CN-MO',
  'CN-TW',
] as const;

/** The mainland alone: the 31 regions in which the three national carriers each have a network. */
export const MAINLAND_REGIONS = CHINA_REGIONS.slice(0, 31);

/** Those that the codes of countries name apart. */
const OF_CHINA = ['HK', 'MO', 'TW'];

/** The country of a region, China also of Hong Kong, Macao and Taiwan where they were given the codes of ISO 3166-1. */
export function countryOf(region: string): string {
  const code = region.slice(0, 2);
  return OF_CHINA.includes(code) ? 'CN' : code;
}

/** The part of a region's code where no more is known than its country: `DE-ZZZ`. */
export const NO_PART = 'ZZZ';

export const Country = z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166-1 alpha-2 code such as CN');
export const Region = z.string().regex(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'must be an ISO 3166-2 code such as CN-GD');
export const Carrier = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be a lower-case name such as telecom');

/** Where a vantage is and on which network. `region` begins with `country`. */
export const locationFields = {
  name: z.string().trim().min(1).max(200),
  country: Country,
  region: Region.meta({ description: 'begins with `country`' }),
  city: z.string().trim().min(1).max(100).nullable().default(null),
  carrier: Carrier,
  asn: z.number().int().min(1).max(4_294_967_295).nullable().default(null),
  access: AccessType.default('idc'),
};

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
