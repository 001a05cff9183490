import { v7 } from 'uuid';
import { MAINLAND_REGIONS } from '#contract/location.ts';
import type { VantageRef } from '#contract/result.ts';

/** A vantage in China that is not in the database yet. */
export function makeVantage(region: string, carrier: string): VantageRef {
  return {
    id: v7(),
    name: `${region} ${carrier}`,
    country: region.slice(0, 2),
    region,
    city: null,
    carrier,
    asn: 4134,
    access: 'idc',
  };
}

/** One vantage for each of the 31 mainland regions and three national carriers. */
export function mainlandVantages(): VantageRef[] {
  return MAINLAND_REGIONS.flatMap((region) =>
    ['telecom', 'unicom', 'mobile'].map((carrier) => makeVantage(region, carrier)),
  );
}
