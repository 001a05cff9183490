import { slotSeconds, slotsPerDay } from '../parameters.ts';
import type { Series } from '../sample.ts';
import type { SeriesState } from './series.ts';

/** Series that may see one event together: all of one target, of one carrier, or of one vantage, of one variant. Indexes, rising. */
export type Group = { kind: GroupKind; members: number[] };
type GroupKind = (typeof KINDS)[number];

const KINDS = ['target', 'carrier', 'vantage'] as const;

/** Silence after which a series no longer counts among the others, seconds: it is not measured. */
const DAY_SECONDS = slotsPerDay * slotSeconds;

/** All series, by index, and which of them belong together. Holds no state of its own: it follows from `all`. */
export class SeriesGroups {
  readonly all: SeriesState[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #groups = new Map<string, Group>();

  indexOf(id: Series): number | undefined {
    return this.#indexes.get(seriesKey(id));
  }

  add(series: SeriesState): number {
    const index = this.all.push(series) - 1;
    this.#register(series.id, index);
    return index;
  }

  /** Leaves the others out; those that stay move up. Their new indexes by the old ones. */
  keep(isKept: (series: SeriesState) => boolean): Map<number, number> {
    const moved = new Map<number, number>();
    const before = this.all.splice(0);
    this.#indexes.clear();
    this.#groups.clear();
    for (const [index, series] of before.entries()) if (isKept(series)) moved.set(index, this.add(series));
    return moved;
  }

  at(index: number): SeriesState {
    return this.all[index] as SeriesState;
  }

  groups(): Iterable<Group> {
    return this.#groups.values();
  }

  groupsOf({ id }: SeriesState): Group[] {
    return KINDS.map((kind) => this.#groups.get(groupKey(kind, id)) as Group);
  }

  /** How many series of a group are measured still: had a sample within a day before the newest of them. */
  living({ members }: Group): number {
    let newest = 0;
    for (const index of members) newest = Math.max(newest, this.at(index).last);
    let count = 0;
    for (const index of members) if (this.at(index).last >= newest - DAY_SECONDS) count += 1;
    return count;
  }

  /** The other series of a series' group that are measured still. */
  neighbours(index: number, kind: GroupKind): SeriesState[] {
    const group = this.#groups.get(groupKey(kind, this.at(index).id)) as Group;
    const since = this.at(index).last - DAY_SECONDS;
    return group.members
      .filter((other) => other !== index && this.at(other).last >= since)
      .map((other) => this.at(other));
  }

  #register(id: Series, index: number): void {
    this.#indexes.set(seriesKey(id), index);
    for (const kind of KINDS) {
      const key = groupKey(kind, id);
      const group = this.#groups.get(key);
      if (group) group.members.push(index);
      else this.#groups.set(key, { kind, members: [index] });
    }
  }
}

/** What series of a group must differ in to confirm each other: the target at one vantage, else the vantage. */
export function memberKey({ kind }: Group, { id }: SeriesState): string {
  return kind === 'vantage' ? id.target : vantageKey(id);
}

// Keys of maps: compared, never read.

function seriesKey(id: Series): string {
  return `${id.target}\n${vantageKey(id)}${variantKey(id)}`;
}

function vantageKey({ vantage, country, region, carrier }: Series): string {
  return `${vantage}\n${country}\n${region}\n${carrier}`;
}

function variantKey({ variant }: Series): string {
  return variant === undefined ? '' : `\n${variant}`;
}

function groupKey(kind: GroupKind, id: Series): string {
  const of = kind === 'target' ? id.target : kind === 'carrier' ? `${id.country}\n${id.carrier}` : vantageKey(id);
  return `${kind}\n${of}${variantKey(id)}`;
}
