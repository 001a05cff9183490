import { vantageLabels } from '#server/vantages/labels.ts';

type Location = { region?: string; carrier?: string };

/**
 * Lists the places that ticked boxes select: regions, carriers, or every ticked region with every ticked carrier. Those without a vantage
 * are left out; null where nothing is ticked.
 */
export async function locationsOf(regions: string[], carriers: string[]): Promise<Location[] | null> {
  if (regions.length + carriers.length === 0) return null;
  const labels = [...(await vantageLabels()).values()].filter(({ deleted, imported }) => !deleted && !imported);
  return combine(regions, carriers).filter(({ region, carrier }) =>
    labels.some((place) => (region ?? place.region) === place.region && (carrier ?? place.carrier) === place.carrier),
  );
}

function combine(regions: string[], carriers: string[]): Location[] {
  if (regions.length === 0) return carriers.map((carrier) => ({ carrier }));
  if (carriers.length === 0) return regions.map((region) => ({ region }));
  return regions.flatMap((region) => carriers.map((carrier) => ({ region, carrier })));
}
