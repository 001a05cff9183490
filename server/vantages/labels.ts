import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';

/** A vantage as results and charts name it; deleted ones keep their labels. */
export type VantageLabels = VantageRef & { demo: boolean; proberId: string | null; deleted: boolean };

/**
 * The labels of every vantage by id, as they are now. Results and rollups name a vantage by id alone: a label that is put
 * right is right for the past as well. The table is small; a cache would hide a vantage that was just made.
 */
export async function vantageLabels(): Promise<Map<string, VantageLabels>> {
  const { rows } = await getPool().query<VantageLabels>(
    `select id, name, country, region, city, carrier, asn::float8 as asn, access, demo, prober_id as "proberId",
        deleted_at is not null as deleted from vantage`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The labels alone, as a Result carries them. */
export function vantageRef({ id, name, country, region, city, carrier, asn, access }: VantageLabels): VantageRef {
  return { id, name, country, region, city, carrier, asn, access };
}

/** What results, series and matrices can be narrowed to. */
export type LocationFilter = {
  vantage?: string | undefined;
  country?: string | undefined;
  region?: string[] | undefined;
  carrier?: string[] | undefined;
  access?: string[] | undefined;
};

/** Ids of the vantages that a filter selects, or null when it selects all. */
export async function selectVantages(filter: LocationFilter): Promise<string[] | null> {
  const { vantage, country, region, carrier, access } = filter;
  if (vantage === undefined && country === undefined && !region?.length && !carrier?.length && !access?.length)
    return null;
  const labels = [...(await vantageLabels()).values()];
  const selected = labels.filter(
    (place) =>
      (vantage === undefined || place.id === vantage.toLowerCase()) &&
      (country === undefined || place.country === country) &&
      (!region?.length || region.includes(place.region)) &&
      (!carrier?.length || carrier.includes(place.carrier)) &&
      (!access?.length || access.includes(place.access)),
  );
  return selected.map((place) => place.id);
}
