import type { Series } from '../sample.ts';
import type { Line } from './series.ts';

/** Lines that may see one event together: all of one target, of one carrier, or of one vantage. Numbers of lines, rising. */
export type Group = { kind: GroupKind; lines: number[] };
type GroupKind = (typeof KINDS)[number];

const KINDS = ['target', 'carrier', 'vantage'] as const;

/** Which lines there are, by number, and which of them belong together. Holds no state of its own: it follows from `lines`. */
export class Roster {
  readonly lines: Line[];
  readonly #numbers = new Map<string, number>();
  readonly #groups = new Map<string, Group>();

  constructor(lines: Line[]) {
    this.lines = lines;
    lines.forEach(({ series }, index) => {
      this.#register(series, index);
    });
  }

  numberOf(series: Series): number | undefined {
    return this.#numbers.get(keyOf(series));
  }

  add(line: Line): number {
    const index = this.lines.push(line) - 1;
    this.#register(line.series, index);
    return index;
  }

  at(index: number): Line {
    return this.lines[index] as Line;
  }

  groups(): Iterable<Group> {
    return this.#groups.values();
  }

  groupsOf({ series }: Line): Group[] {
    return KINDS.map((kind) => this.#groups.get(groupKey(kind, series)) as Group);
  }

  /** The other lines of a line's group. */
  neighbours(index: number, kind: GroupKind): Line[] {
    const group = this.#groups.get(groupKey(kind, this.at(index).series)) as Group;
    return group.lines.filter((other) => other !== index).map((other) => this.at(other));
  }

  #register(series: Series, index: number): void {
    this.#numbers.set(keyOf(series), index);
    for (const kind of KINDS) {
      const key = groupKey(kind, series);
      const group = this.#groups.get(key);
      if (group) group.lines.push(index);
      else this.#groups.set(key, { kind, lines: [index] });
    }
  }
}

function keyOf({ target, province, carrier }: Series): string {
  return `${target}\n${province}\n${carrier}`;
}

function groupKey(kind: GroupKind, { target, province, carrier }: Series): string {
  return `${kind}\n${{ target, carrier, vantage: `${province}\n${carrier}` }[kind]}`;
}

/** What lines of a group must differ in to confirm each other. */
export function placeIn({ kind }: Group, line: Line): string {
  return kind === 'vantage' ? line.series.target : vantageOf(line);
}

function vantageOf({ series }: Line): string {
  return `${series.province}/${series.carrier}`;
}
