import type { Dice } from './dice.ts';
import type { Cause } from './event.ts';
import type { LineModel } from './line.ts';

/** Who is touched by one happening: a carrier, some of its provinces, one vantage, one line, or a target everywhere or in part. */
export const SCOPES = ['carrier', 'provinces', 'vantage', 'line', 'server', 'tls'] as const;
export type Scope = (typeof SCOPES)[number];

/** Happenings per line and week by scope, before the climate's factor. */
export type Rates = Record<Scope, number>;

export const SPIKE_RATES: Rates = { carrier: 0.3, provinces: 0.2, vantage: 0.3, line: 0.2, server: 0.4, tls: 0.2 };
export const SHIFT_RATES: Rates = { carrier: 0.08, provinces: 0.06, vantage: 0.18, line: 0.2, server: 0.18, tls: 0.24 };

/** Archives of pings know no handshake: routes change, mostly of one line. */
export const RECORDED: Readonly<Record<Scope, number>> = {
  carrier: 0.3,
  provinces: 0.3,
  vantage: 1,
  line: 3,
  server: 0,
  tls: 0,
};

export function causeOf(scope: Scope): Cause {
  return scope === 'server' || scope === 'tls' ? scope : 'network';
}

/**
 * The groups of lines (indices) of which each happening of a scope takes one. A scope's rate is a line's: with a group for
 * each carrier, every line is in one.
 */
export function groupsOf(scope: Scope, lines: readonly LineModel[]): number[][] {
  switch (scope) {
    case 'carrier':
    case 'provinces':
      return grouped(lines, (line) => line.carrier);
    case 'vantage':
      return grouped(lines, (line) => `${line.province}/${line.carrier}`);
    case 'line':
      return lines.map((_, index) => [index]);
    case 'server':
    case 'tls':
      return grouped(lines, (line) => line.target.name);
  }
}

/** The lines of a group that one happening touches. */
export function touchedBy(scope: Scope, group: readonly number[], lines: readonly LineModel[], dice: Dice): number[] {
  if (scope === 'provinces') {
    const provinces = [...new Set(group.map((index) => lines[index]?.province))];
    const some = new Set(dice.some(provinces, dice.integer(1, Math.max(1, Math.ceil(provinces.length / 2)))));
    return group.filter((index) => some.has(lines[index]?.province));
  }
  // A carrier's trouble may be on the way to one target alone.
  if (scope === 'carrier' && dice.chance(0.25)) {
    const target = lines[dice.pick(group)]?.target.name;
    return group.filter((index) => lines[index]?.target.name === target);
  }
  // One of several machines behind a name: only the vantages that are sent there.
  if ((scope === 'server' || scope === 'tls') && dice.chance(0.1))
    return dice.some(group, Math.ceil(group.length * 0.6));
  return [...group];
}

function grouped(lines: readonly LineModel[], key: (line: LineModel) => string): number[][] {
  const groups = new Map<string, number[]>();
  lines.forEach((line, index) => {
    const group = groups.get(key(line));
    if (group) group.push(index);
    else groups.set(key(line), [index]);
  });
  return [...groups.values()];
}
