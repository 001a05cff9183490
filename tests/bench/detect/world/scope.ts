import type { Cause } from '#analysis/synthetic/event.ts';
import type { SeriesModel } from '#analysis/synthetic/series-model.ts';
import type { Random } from './random.ts';

/** Who is touched by one happening: a carrier, some of its provinces, one vantage, one series, or a target everywhere or in part. */
export const SCOPES = ['carrier', 'provinces', 'vantage', 'line', 'server', 'tls'] as const;
export type Scope = (typeof SCOPES)[number];

/** Happenings per series and week by scope, before the world's factor. */
export type Rates = Record<Scope, number>;

export const SPIKE_RATES: Rates = { carrier: 0.3, provinces: 0.2, vantage: 0.3, line: 0.2, server: 0.4, tls: 0.2 };
export const SHIFT_RATES: Rates = { carrier: 0.08, provinces: 0.06, vantage: 0.18, line: 0.2, server: 0.18, tls: 0.24 };

/** Archives of pings know no handshake: routes change, mostly of one series. */
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
 * The groups of series (indices) of which each happening of a scope takes one. A scope's rate is a series': with a group for
 * each carrier, every series is in one.
 */
export function groupsOf(scope: Scope, models: readonly SeriesModel[]): number[][] {
  switch (scope) {
    case 'carrier':
    case 'provinces':
      return grouped(models, (model) => model.carrier);
    case 'vantage':
      return grouped(models, (model) => `${model.region}/${model.carrier}`);
    case 'line':
      return models.map((_, index) => [index]);
    case 'server':
    case 'tls':
      return grouped(models, (model) => model.target.name);
  }
}

/** The series of a group that one happening touches. */
export function touchedBy(
  scope: Scope,
  group: readonly number[],
  models: readonly SeriesModel[],
  random: Random,
): number[] {
  if (scope === 'provinces') {
    const regions = [...new Set(group.map((index) => models[index]?.region))];
    const some = new Set(random.some(regions, random.integer(1, Math.max(1, Math.ceil(regions.length / 2)))));
    return group.filter((index) => some.has(models[index]?.region));
  }
  // A carrier's trouble may be on the way to one target alone.
  if (scope === 'carrier' && random.chance(0.25)) {
    const target = models[random.pick(group)]?.target.name;
    return group.filter((index) => models[index]?.target.name === target);
  }
  // One of several machines behind a name: only the vantages that are sent there.
  if ((scope === 'server' || scope === 'tls') && random.chance(0.1))
    return random.some(group, Math.ceil(group.length * 0.6));
  return [...group];
}

function grouped(models: readonly SeriesModel[], key: (model: SeriesModel) => string): number[][] {
  const groups = new Map<string, number[]>();
  models.forEach((model, index) => {
    const group = groups.get(key(model));
    if (group) group.push(index);
    else groups.set(key(model), [index]);
  });
  return [...groups.values()];
}
