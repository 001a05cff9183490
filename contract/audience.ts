import { z } from 'zod';
import { Carrier, Region } from './location.ts';

/** Largest weight, and most regions or carriers that have one. */
export const MAX_WEIGHT = 1_000;
export const MAX_WEIGHTS = 100;

const weights = <Key extends z.ZodType<string, string>>(key: Key) =>
  z
    .record(key, z.number().min(0).max(MAX_WEIGHT))
    .refine((given) => Object.keys(given).length <= MAX_WEIGHTS, `must not have more than ${MAX_WEIGHTS} entries`);

/** How the users of the watched sites are spread. */
export const Audience = z
  .strictObject({
    regions: weights(Region).default({}),
    carriers: weights(Carrier).default({}),
  })
  .meta({
    id: 'Audience',
    description: `How much a vantage counts in what advice saves on average: the weight of its region times that of its carrier, each from 0 to ${MAX_WEIGHT}, 1 where it is not named`,
  });
export type Audience = z.infer<typeof Audience>;

/** The weight of a vantage: its region's times its carrier's. */
export function audienceWeight({ regions, carriers }: Audience, vantage: { region: string; carrier: string }): number {
  return (regions[vantage.region] ?? 1) * (carriers[vantage.carrier] ?? 1);
}
