import type { ComparisonHeadline, ComparisonOutcome, Direction, Milestone } from './comparison.ts';
import { MAINLAND_REGIONS } from './location.ts';

const PROVINCES = new Set<string>(MAINLAND_REGIONS);

/** The few figures of an outcome. */
export function headlineOf({ refusal, figures }: ComparisonOutcome, milestone: Milestone): ComparisonHeadline {
  const effect = figures?.milestones[milestone] ?? null;
  const counted = (direction: Direction) =>
    figures?.regions.filter((region) => region.direction === direction).length ?? 0;
  const { verdict = null, cause = null, predicted = null, flips = [] } = figures?.attribution ?? {};
  const refusing = figures?.variants.find(({ refusedChanged }) => refusedChanged);
  return {
    refusal,
    milestone,
    direction: effect?.direction ?? null,
    shift: effect?.shift ?? null,
    roundTrips: effect?.roundTrips ?? null,
    workMs: effect?.workMs ?? null,
    network: figures?.network ?? null,
    server: effect?.server ?? null,
    networkMoves: figures?.networkMoves ?? [],
    refused: refusing?.refused ?? null,
    regions: figures && {
      faster: counted('faster'),
      slower: counted('slower'),
      unclear: counted('unclear'),
      provinces: figures.regions.every(({ region }) => PROVINCES.has(region)),
    },
    directions: figures?.directions ?? [],
    verdict,
    cause,
    causeAfter: flips.find(({ setting }) => setting === cause)?.after ?? null,
    predicted,
    mixture: figures?.mixture ?? null,
  };
}
