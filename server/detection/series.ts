import type { Series } from '#analysis/detection/sample.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';

// A line of the detector is one target from one vantage. Two vantages may share a region and a carrier, so the
// «province» carries the vantage's id; carriers of two countries that share a name have nothing else in common.

/** The detector's name of a check. */
export function seriesOf(targetId: string, { id, country, region, carrier }: VantageLabels): Series {
  return { target: targetId, province: `${region}/${id}`, carrier: `${country}/${carrier}` };
}

/** What the name says of the place. */
export function placeOf({ province, carrier }: Pick<Series, 'province' | 'carrier'>) {
  const [region = '', vantageId = ''] = province.split('/');
  const [country = '', name = ''] = carrier.split('/');
  return { region, vantageId, country, carrier: name };
}
