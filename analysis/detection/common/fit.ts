// Which targets, carriers, and targets at one carrier have moved: by what their series moved by together (`location.ts`). What a target moves by is told from
// what its paths do in two ways: by each series' own TCP connect (`work`), and by the TCP connect of the other targets at the same
// carrier (`besides`), which shows a longer path to that target alone too. An evening, whatever its height, is in neither. A carrier is judged by
// what the paths explain: how busy its targets are is none of its changes.

import { commonCellMembers, commonNoise, commonPathAmplitude, peakVariation } from '../parameters.ts';
import { meanOf, medianOf } from '../statistics.ts';
import { areasOf } from './areas.ts';
import { lessEvenings, locationsOf, meansOf } from './location.ts';
import { type Distances, type Moved, mediansOf } from './moved.ts';

/**
 * What a node's distances are: all of TLS time's, the part that its paths explain, what is left then, or what is left where the paths of other
 * targets at the same carrier explain what they can.
 */
type View = 'whole' | 'path' | 'work' | 'besides';

/** A series of a node, and what it moved by itself in the node's view. */
export type Member = { moved: Moved; distance: number };

/** A target, a carrier, an area of a carrier, or a target at a carrier. */
export type Node = {
  key: string;
  kind: 'target' | 'carrier' | 'area' | 'cell';
  view: View;
  members: Member[];
  distances: Distances;
  /** What it moved by with its path. */
  whole: number;
  /** What each of its cells moved by. */
  parts: number[];
  /** How far apart siblings are about what was taken off. */
  apart: number;
  /** What part of an evening that deviates may be in the distances: 1 where nothing of it was taken off. */
  left: number;
};

/** The series of one target at one carrier, and what they moved by together. */
type Cell = {
  target: string;
  carrier: string;
  members: Moved[];
  whole: Distances;
  connect: Distances | null;
  path: Distances | null;
  work: Distances | null;
  besides: Besides | null;
  share: number;
  amplitude: number;
};
type Besides = { distances: Distances; takenOff: number; apart: number };

function* cellsOf(moved: readonly Moved[]): Generator<void, Cell[]> {
  const cells: Cell[] = [];
  for (const members of Map.groupBy(moved, ({ target, carrier }) => `${target}\n${carrier}`).values()) {
    if (members.length < commonCellMembers) continue;
    const { target, carrier } = members[0] as Moved;
    const withPath = members.filter(({ path }) => path !== null);
    const isKnown = withPath.length >= commonCellMembers && 2 * withPath.length >= members.length;
    const whole = locationsOf(
      members.map(({ tls }) => tls),
      members.map(({ sigma }) => sigma),
    );
    const sigmas = withPath.map(({ sigma }) => sigma);
    const work = isKnown ? locationsOf(withPath.map(workOf), sigmas) : null;
    cells.push({
      target,
      carrier,
      members,
      whole,
      connect: isKnown
        ? locationsOf(
            withPath.map(({ path }) => path as Distances),
            sigmas,
          )
        : null,
      path: work && whole.map((value, at) => value - (work[at] as number)),
      work,
      besides: null,
      share: medianOf(members.map(({ share }) => share)),
      amplitude: medianOf(members.map(({ amplitude }) => amplitude)),
    });
    yield;
  }
  for (const own of Map.groupBy(cells, ({ carrier }) => carrier).values()) {
    for (const cell of own) {
      cell.besides = besidesOf(
        cell,
        own.filter((other) => other !== cell),
      );
      yield;
    }
  }
  return cells;
}

/** TLS time less what the same series' path explains. */
function workOf({ tls, path, share }: Moved): Distances {
  return tls.map((value, at) => value - share * ((path as Distances)[at] as number));
}

/**
 * A cell less what the other targets' paths at the same carrier explain: a path whose evenings are twice as high moves twice as
 * much. Null without any. Of one alone nobody knows how far off it is: half of it.
 */
function besidesOf(cell: Cell, siblings: readonly Cell[]): Besides | null {
  const explained = siblings.flatMap(({ connect, amplitude }) => {
    const part = (cell.share * cell.amplitude) / amplitude;
    return connect === null ? [] : [connect.map((value) => part * value)];
  });
  const [first] = explained;
  if (first === undefined) return null;
  const path = mediansOf(explained);
  const takenOff = path[0] as number;
  const newest = explained.map((distances) => distances[0] as number);
  return {
    distances: cell.whole.map((value, at) => value - (path[at] as number)),
    takenOff,
    apart: (explained.length === 1 ? Math.abs(takenOff) : Math.max(...newest) - Math.min(...newest)) / 2,
  };
}

/** Targets and carriers first, the larger before the smaller, then areas of carriers, then what is of one target at one carrier. A step a node. */
export function* nodesOf(moved: readonly Moved[]): Generator<void, Node[]> {
  const cells = yield* cellsOf(moved);
  const whole: Node[] = [];
  for (const [target, own] of Map.groupBy(cells, (cell) => cell.target)) {
    for (const view of ['work', 'besides'] as const)
      whole.push(...nodeOf(`target\n${target}\n${view}`, 'target', view, own));
    if (own.some(({ besides }) => besides === null))
      whole.push(
        ...nodeOf(`target\n${target}`, 'target', 'whole', own),
        ...evenedNodeOf(`target\n${target}\nevened`, 'target', 'whole', own),
      );
    yield;
  }
  for (const [carrier, own] of Map.groupBy(cells, (cell) => cell.carrier)) {
    if (own.length > 1)
      whole.push(
        ...nodeOf(`carrier\n${carrier}`, 'carrier', 'path', own),
        ...evenedNodeOf(`carrier\n${carrier}\nevened`, 'carrier', 'path', own),
      );
    yield;
  }
  whole.sort((a, b) => b.members.length - a.members.length);
  const areas: Node[] = [];
  for (const own of Map.groupBy(moved, ({ carrier }) => carrier).values()) {
    for (const { area, carrier, members, takenOff, ...rest } of areasOf(own))
      areas.push({
        key: `area\n${carrier}\n${area}`,
        kind: 'area',
        view: 'path',
        left: 1,
        members: members.map((moved) => ({ moved, distance: moved.share * (moved.path?.[0] ?? 0) - takenOff })),
        ...rest,
      });
    yield;
  }
  const single: Node[] = [];
  for (const cell of cells) {
    for (const view of ['work', 'besides'] as const)
      single.push(...nodeOf(`cell\n${cell.target}\n${cell.carrier}\n${view}`, 'cell', view, [cell]));
    yield;
  }
  return [...whole, ...areas, ...single];
}

function nodeOf(key: string, kind: Node['kind'], view: View, own: readonly Cell[]): Node[] {
  const rows = own.flatMap((cell) => (view === 'besides' ? cell.besides?.distances : cell[view]) ?? []);
  return nodeOfRows({ key, kind, view, left: 1 }, own, rows);
}

/** The same less what is in proportion to the evening of each series' path. */
function evenedNodeOf(key: string, kind: Node['kind'], view: 'whole' | 'path', own: readonly Cell[]): Node[] {
  const evened = own.flatMap((cell) => evenedOf(cell, view) ?? []);
  const left = Math.sqrt(meanOf(evened.map((each) => each.left ** 2)));
  return nodeOfRows(
    { key, kind, view, left },
    own,
    evened.map(({ distances }) => distances),
  );
}

/** Null where paths are not known. */
function evenedOf({ path, members }: Cell, view: 'whole' | 'path'): { distances: Distances; left: number } | null {
  const withPath = path === null ? [] : members.filter((each) => each.path !== null);
  if (withPath.length === 0) return null;
  const { rows, left } = lessEvenings(
    withPath.map(({ tls, path, share }) =>
      view === 'whole' ? tls : (path as Distances).map((value) => share * value),
    ),
    withPath.map(({ share, amplitude }) => share * (amplitude - commonPathAmplitude)),
    medianOf(withPath.map(({ spread, height }) => Math.max(commonNoise.shape * spread, peakVariation * height))),
  );
  const sigmas = withPath.map(({ sigma }) => sigma);
  return { distances: locationsOf(rows, sigmas), left };
}

/** None where a cell is not known in that view. */
function nodeOfRows(
  head: Pick<Node, 'key' | 'kind' | 'view' | 'left'>,
  own: readonly Cell[],
  rows: readonly Distances[],
): Node[] {
  if (rows.length < own.length) return [];
  const { view } = head;
  return [
    {
      ...head,
      members: own.flatMap((cell) => cell.members.map((moved) => ({ moved, distance: distanceOf(moved, view, cell) }))),
      distances: meansOf(rows),
      whole: medianOf(own.map((cell) => cell.whole[0] as number)),
      parts: rows.map((row) => row[0] as number),
      apart: view === 'besides' ? medianOf(own.map(({ besides }) => besides?.apart as number)) : 0,
    },
  ];
}

function distanceOf({ tls, path, share }: Moved, view: View, { besides }: Cell): number {
  const whole = tls[0] as number;
  if (view === 'whole') return whole;
  const explained = share * (path?.[0] ?? 0);
  if (view === 'path') return explained;
  return whole - (view === 'besides' ? (besides?.takenOff as number) : explained);
}
