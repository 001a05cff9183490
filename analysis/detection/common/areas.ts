// Areas of a country within a carrier ("Unicom in the north-west"), which may have a path of their own. What paths explain there is
// held against the rest of the carrier, which shares its evenings.

import { areaOf } from '#contract/location.ts';
import { commonAreaApart, commonAreaMembers, commonLeastMembers } from '../parameters.ts';
import { medianOf } from '../statistics.ts';
import { type Distances, type Moved, mediansOf } from './moved.ts';

/** What an area of a carrier moved by beyond the rest of it. `takenOff`: what the rest moved by in the newest half hours, in proportion to evenings. */
export type AreaMove = {
  area: string;
  carrier: string;
  members: Moved[];
  distances: Distances;
  takenOff: number;
  whole: number;
  parts: number[];
  apart: number;
};

/** Of the areas of one carrier that have enough series, and enough elsewhere. */
export function areasOf(ofCarrier: readonly Moved[]): AreaMove[] {
  const known = ofCarrier.filter(({ path }) => path !== null);
  return [...Map.groupBy(known, ({ region }) => areaOf(region))].flatMap(([area, members]) => {
    const rest = known.filter(({ region }) => areaOf(region) !== area);
    if (area === null || members.length < commonLeastMembers || rest.length < commonLeastMembers) return [];
    const [own, others] = [pathsOf(members), pathsOf(rest)];
    if (own.rows.length === 0 || others.rows.length === 0) return [];
    const part = own.amplitude / others.amplitude;
    const besides = mediansOf(others.rows).map((value) => part * value);
    const takenOff = besides[0] as number;
    return {
      area,
      carrier: (members[0] as Moved).carrier,
      members,
      distances: mediansOf(own.rows).map((value, at) => value - (besides[at] as number)),
      takenOff,
      whole: medianOf(own.whole),
      parts: own.rows.map((row) => (row[0] as number) - takenOff),
      apart: commonAreaApart * Math.abs(takenOff),
    };
  });
}

/** What paths explain of each target's TLS time there, its TLS time whole, and how large their evenings are. */
function pathsOf(members: readonly Moved[]): { rows: Distances[]; whole: number[]; amplitude: number } {
  const targets = [...Map.groupBy(members, ({ target }) => target).values()].filter(
    (some) => some.length >= commonAreaMembers,
  );
  return {
    rows: targets.map((some) =>
      mediansOf(some.map(({ path, share }) => (path as Distances).map((value) => share * value))),
    ),
    whole: targets.map((some) => medianOf(some.map(({ tls }) => tls[0] as number))),
    amplitude: medianOf(members.map(({ share, amplitude }) => share * amplitude)),
  };
}
