import type { Pool } from 'pg';
import type { VantageRef } from '#contract/result.ts';
import { getPool } from './database.ts';

/** A vantage as results and charts name it; deleted ones keep their labels. */
export type VantageLabels = VantageRef & { demo: boolean; proberId: string | null; deleted: boolean };

const FRESH_MS = 3_000;
const caches = new WeakMap<Pool, { at: number; labels: Promise<Map<string, VantageLabels>> }>();

/**
 * The labels of every vantage by id, at most three seconds old. Results and rollups name a vantage by id alone: a label
 * that is put right is right for the past as well.
 */
export function vantageLabels(): Promise<Map<string, VantageLabels>> {
  const pool = getPool();
  const cached = caches.get(pool);
  if (cached && Date.now() - cached.at < FRESH_MS) return cached.labels;
  const labels = load(pool);
  caches.set(pool, { at: Date.now(), labels });
  labels.catch(() => caches.delete(pool));
  return labels;
}

async function load(pool: Pool): Promise<Map<string, VantageLabels>> {
  const { rows } = await pool.query<VantageLabels>(
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
export type PlaceFilter = {
  vantage?: string | undefined;
  country?: string | undefined;
  region?: string[] | undefined;
  carrier?: string[] | undefined;
  access?: string[] | undefined;
};

/** Ids of the vantages that a filter selects, or null when it selects all. */
export async function selectVantages(filter: PlaceFilter): Promise<string[] | null> {
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
