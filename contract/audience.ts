import { z } from 'zod';
import { Carrier, type CHINA_REGIONS, Region } from './location.ts';

/** Largest weight, and most regions or carriers that have one. */
export const MAX_WEIGHT = 1_000;
export const MAX_WEIGHTS = 100;

const weights = <Key extends z.ZodType<string, string>>(key: Key) =>
  z
    .record(key, z.number().min(0).max(MAX_WEIGHT))
    .refine((given) => Object.keys(given).length <= MAX_WEIGHTS, `must not have more than ${MAX_WEIGHTS} entries`)
    .meta({ maxProperties: MAX_WEIGHTS });

/** How the users of the watched sites are spread. */
export const Audience = z
  .strictObject({
    regions: weights(Region).default({}),
    carriers: weights(Carrier).default({}),
  })
  .meta({
    id: 'Audience',
    description: `How many users a vantage stands for, in proportion: the weight of its region times that of its carrier, each from 0 to ${MAX_WEIGHT}, 1 where it is not named. What advice saves on average, and the impact of incidents, are weighted by it`,
  });
export type Audience = z.infer<typeof Audience>;

/**
 * Inhabitants, in millions: Seventh National Population Census of China (1 November 2020), National Bureau of Statistics,
 * 11 May 2021: communiqué no. 3, table 3-1, for the 31 mainland regions, no. 2 for the others.
 */
const INHABITANTS: Record<(typeof CHINA_REGIONS)[number], number> = {
  'CN-BJ': 21.89,
  'CN-TJ': 13.87,
  'CN-HE': 74.61,
  'CN-SX': 34.92,
  'CN-NM': 24.05,
  'CN-LN': 42.59,
  'CN-JL': 24.07,
  'CN-HL': 31.85,
  'CN-SH': 24.87,
  'CN-JS': 84.75,
  'CN-ZJ': 64.57,
  'CN-AH': 61.03,
  'CN-FJ': 41.54,
  'CN-JX': 45.19,
  'CN-SD': 101.53,
  'CN-HA': 99.37,
  'CN-HB': 57.75,
  'CN-HN': 66.44,
  'CN-GD': 126.01,
  'CN-GX': 50.13,
  'CN-HI': 10.08,
  'CN-CQ': 32.05,
  'CN-SC': 83.67,
  'CN-GZ': 38.56,
  'CN-YN': 47.21,
  'CN-XZ': 3.65,
  'CN-SN': 39.53,
  'CN-GS': 25.02,
  'CN-QH': 5.92,
  'CN-NX': 7.2,
  'CN-XJ': 25.85,
  'CN-HK': 7.47,
  'CN-MO': 0.68,
  'CN-TW': 23.56,
};

/**
 * Mobile customers and fixed broadband lines, in millions about the end of 2024. Published: China Mobile 1,004 + 315 (annual figures);
 * China Telecom 425 + 197 (423 + 197 in October, and what is added a month). Estimates: China Unicom 344 + 122, from 340 mobile in the middle of the year, since it no longer
 * publishes them monthly; China Broadnet, what is left of the 1,790 mobile customers of all four (ministry, November); CERNET, which said
 * "more than 18 million" in 2004. That a carrier has the same share of every province is an assumption: no carrier publishes it.
 * Sources: docs/decisions/0037-numbers-that-hold.md.
 */
const CUSTOMERS = { mobile: 1_319, telecom: 622, unicom: 466, broadnet: 19, cernet: 25 };

/** In multiples of the mean province and of the mean of the three carriers, so that the weight 1 of what is not named is in proportion. */
const MEAN_INHABITANTS = 1_409.78 / 31;
const MEAN_CUSTOMERS = 2_407 / 3;

const inProportion = (counts: Record<string, number>, mean: number): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.round((count / mean) * 100) / 100]));

/** Where users are unless it is set: in China as the people and the customers of carriers are. */
export const DEFAULT_AUDIENCE: Audience = {
  regions: inProportion(INHABITANTS, MEAN_INHABITANTS),
  carriers: inProportion(CUSTOMERS, MEAN_CUSTOMERS),
};

/** The weight of a vantage: its region's times its carrier's. */
export function audienceWeight({ regions, carriers }: Audience, vantage: { region: string; carrier: string }): number {
  return (regions[vantage.region] ?? 1) * (carriers[vantage.carrier] ?? 1);
}
