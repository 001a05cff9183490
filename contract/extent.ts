import { CHINA_REGIONS } from './location.ts';
import { KNOWN_CARRIERS } from './vocabulary.ts';

/** One region on one carrier. */
export type Location = { region: string; carrier: string };

/** A carrier, the regions on it that are affected, and those on it that are measured and not affected. */
export type CarrierExtent = { carrier: string; regions: string[]; spared: string[] };

/**
 * Where something is, summed up: by carrier, the most affected first. `everywhere`: every place where the target is
 * measured, of which there are several; `spared` are the other places.
 */
export type Extent = { everywhere: boolean; spared: Location[]; regions: string[]; carriers: CarrierExtent[] };

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
    regions: [...regions].sort(byRegion),
    spared: [...(all.get(carrier) ?? [])].filter((region) => !regions.has(region)).sort(byRegion),
  }));
  const count = [...all.values()].reduce((sum, { size }) => sum + size, 0);
  const spared = [...all].flatMap(([carrier, regions]) =>
    [...regions].filter((region) => !hit.get(carrier)?.has(region)).map((region) => ({ region, carrier })),
  );
  return {
    everywhere: count > 1 && spared.length === 0,
    spared,
    regions: [...new Set(affected.map(({ region }) => region))],
    carriers: carriers.sort((a, b) => b.regions.length - a.regions.length || rank(a.carrier) - rank(b.carrier)),
  };
}

/** Regions that are affected are named up to so many; those that are not, up to so many where they are the smaller part by far. */
const MOST_NAMED = 3;
const MOST_SPARED = 2;
const LEAST_BESIDE_SPARED = 5;

/** An extent as a sentence needs it: names of few regions, numbers of many. */
export type ExtentSum = {
  everywhere: boolean;
  /** The places that are not affected, where they are few among many; else empty. */
  spared: Location[];
  /** How many regions, on whichever carriers. */
  regions: number;
  /** Whether all of them are provinces of China. */
  provinces: boolean;
  /** `region` is the only one on this carrier; null: several. `named` are all of few, `spared` all that are not affected of few. */
  carriers: {
    carrier: string;
    regions: number;
    of: number;
    region: string | null;
    named: string[];
    spared: string[];
  }[];
};

/** Sums up an extent. */
export const sumOf = ({ everywhere, spared, regions, carriers }: Extent): ExtentSum => ({
  everywhere,
  spared: fewBeside(
    spared,
    carriers.reduce((sum, { regions: own }) => sum + own.length, 0),
  ),
  regions: regions.length,
  provinces: regions.every((region) => IN_CHINA.has(region)),
  carriers: carriers.map(({ carrier, regions: own, spared: others }) => ({
    carrier,
    regions: own.length,
    of: own.length + others.length,
    region: own.length === 1 ? (own[0] ?? null) : null,
    named: own.length <= MOST_NAMED ? own : [],
    spared: fewBeside(others, own.length),
  })),
});

const fewBeside = <Place>(spared: Place[], affected: number): Place[] =>
  spared.length <= MOST_SPARED && affected >= LEAST_BESIDE_SPARED ? spared : [];

/** As lists of provinces are usually ordered; others after them. */
function byRegion(a: string, b: string): number {
  const [first, second] = [a, b].map((region) => (CHINA_REGIONS as readonly string[]).indexOf(region));
  return (first ?? -1) < 0 || (second ?? -1) < 0 ? (a < b ? -1 : 1) : (first ?? 0) - (second ?? 0);
}

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
