import { CHINA_REGIONS } from './location.ts';
import { KNOWN_CARRIERS } from './vocabulary.ts';

/** One region on one carrier. */
export type Location = { region: string; carrier: string };

/** A carrier, the regions on it that are affected, and in how many the target is measured on it. */
export type CarrierExtent = { carrier: string; regions: string[]; of: number };

/**
 * Where something is, summed up: by carrier, the most affected first. `everywhere`: every place where the target is
 * measured, of which there are several.
 */
export type Extent = { everywhere: boolean; regions: string[]; carriers: CarrierExtent[] };

/**
 * Sums up affected places against all at which the target is measured; what is affected counts as measured, whether or not
 * results still come from there. Null where no place is affected.
 */
export function extentOf(affected: readonly Location[], measured: readonly Location[]): Extent | null {
  if (affected.length === 0) return null;
  const all = regionsByCarrier([...measured, ...affected]);
  const hit = regionsByCarrier(affected);
  const carriers = [...hit].map(([carrier, regions]) => ({
    carrier,
    regions: [...regions],
    of: all.get(carrier)?.size ?? regions.size,
  }));
  const count = (sets: Map<string, Set<string>>) => [...sets.values()].reduce((sum, { size }) => sum + size, 0);
  return {
    everywhere: count(all) > 1 && count(hit) === count(all),
    regions: [...new Set(affected.map(({ region }) => region))],
    carriers: carriers.sort((a, b) => b.regions.length - a.regions.length || rank(a.carrier) - rank(b.carrier)),
  };
}

/** An extent as a sentence needs it: numbers of regions in the place of their names. */
export type ExtentSum = {
  everywhere: boolean;
  /** How many regions, on whichever carriers. */
  regions: number;
  /** Whether all of them are provinces of China. */
  provinces: boolean;
  /** `region` is the only one on this carrier; null: several. */
  carriers: { carrier: string; regions: number; of: number; region: string | null }[];
};

/** Sums up an extent. */
export const sumOf = ({ everywhere, regions, carriers }: Extent): ExtentSum => ({
  everywhere,
  regions: regions.length,
  provinces: regions.every((region) => IN_CHINA.has(region)),
  carriers: carriers.map(({ carrier, regions: own, of }) => ({
    carrier,
    regions: own.length,
    of,
    region: own.length === 1 ? (own[0] ?? null) : null,
  })),
});

const IN_CHINA: ReadonlySet<string> = new Set(CHINA_REGIONS);

function regionsByCarrier(places: readonly Location[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { region, carrier } of places) found.set(carrier, (found.get(carrier) ?? new Set()).add(region));
  return found;
}

function rank(carrier: string): number {
  const index = (KNOWN_CARRIERS as readonly string[]).indexOf(carrier);
  return index < 0 ? KNOWN_CARRIERS.length : index;
}
