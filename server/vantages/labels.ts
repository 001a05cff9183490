import type { VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';

/** A vantage as results and charts name it; deleted ones keep their labels. `imported`: another monitor measured there. */
export type VantageLabels = VantageRef & {
  demo: boolean;
  proberId: string | null;
  deleted: boolean;
  imported: boolean;
};

/**
 * The labels of every vantage by id, as they are now. Results and rollups name a vantage by id alone: a label that is put
 * right is right for the past as well. The table is small; a cache would hide a vantage that was just made.
 */
export async function vantageLabels(): Promise<Map<string, VantageLabels>> {
  const { rows } = await getPool().query<VantageLabels>(
    `select id, name, country, region, city, carrier, asn::float8 as asn, access, demo, prober_id as "proberId",
        deleted_at is not null as deleted, imported from vantage`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The one wall between what other monitors measured and whatever judges: the vantages of our own probers, whose results alone the
 * detector, rules, advice and comparisons look at. Null where nothing was ever imported: then all are. Asked behind the results that are
 * to be judged: an imported vantage is there before its first result.
 */
export async function measuringVantages(): Promise<ReadonlySet<string> | null> {
  const { rows } = await getPool().query<{ id: string; imported: boolean }>('select id, imported from vantage');
  return rows.some(({ imported }) => imported)
    ? new Set(rows.flatMap(({ id, imported }) => (imported ? [] : id)))
    : null;
}

/** Whether imported vantages are among these places. */
export const holdImported = ({ labels, selected }: Places): boolean =>
  (selected ?? [...labels.keys()]).some((id) => labels.get(id)?.imported);

/** The places without imported ones; themselves where there are none. */
export function measuringPlaces(places: Places): Places {
  if (!holdImported(places)) return places;
  const { labels, selected } = places;
  return { labels, selected: (selected ?? [...labels.keys()]).filter((id) => labels.get(id)?.imported === false) };
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

/** The labels of every vantage by id, and the ids of those that a filter selects; null when it selects all. */
export type Places = { labels: ReadonlyMap<string, VantageLabels>; selected: string[] | null };

/** Ids of the vantages that a filter selects, or null when it selects all. */
export async function selectVantages(filter: LocationFilter): Promise<string[] | null> {
  return isForAll(filter) ? null : selectFrom(await vantageLabels(), filter);
}

/** Every vantage, and those that a filter selects. */
export async function readPlaces(filter: LocationFilter): Promise<Places> {
  const labels = await vantageLabels();
  return { labels, selected: isForAll(filter) ? null : selectFrom(labels, filter) };
}

const isForAll = ({ vantage, country, region, carrier, access }: LocationFilter) =>
  vantage === undefined && country === undefined && !region?.length && !carrier?.length && !access?.length;

function selectFrom(labels: Places['labels'], { vantage, country, region, carrier, access }: LocationFilter): string[] {
  const selected = [...labels.values()].filter(
    (place) =>
      (vantage === undefined || place.id === vantage.toLowerCase()) &&
      (country === undefined || place.country === country) &&
      (!region?.length || region.includes(place.region)) &&
      (!carrier?.length || carrier.includes(place.carrier)) &&
      (!access?.length || access.includes(place.access)),
  );
  return selected.map((place) => place.id);
}
