import type { ComparisonDetail, ComparisonFigures, ComparisonInterval, MilestoneEffect } from '#contract/comparison.ts';
import { csvText } from '#contract/csv.ts';

const COLUMNS = [
  'kind',
  'vantage',
  'region',
  'carrier',
  'direction',
  'shiftMs',
  'lowMs',
  'highMs',
  'networkMs',
  'rttMs',
  'vantages',
  'nBefore',
  'nAfter',
  'serverMs',
  'serverLowMs',
  'serverHighMs',
];

/**
 * The effects of a comparison as lines (RFC 4180): all vantages together, then a line a region, a region and carrier, a vantage,
 * the results with a setting's new value and those without where only a part has it, and another variant of the handshake.
 * Without figures the header alone.
 */
export function comparisonCsv({ figures }: ComparisonDetail): string {
  return [COLUMNS, ...(figures ? rowsOf(figures) : [])].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

type Field = string | number | null;
type Effect = ComparisonFigures['regions'][number] & { carrier?: string; name?: string; rttMs?: number };

function rowsOf(figures: ComparisonFigures): Field[][] {
  const { milestone, milestones, network, regions, cells, vantages, variants, mixture } = figures;
  const all = milestones[milestone];
  const rowOf = (kind: string, effect: Effect): Field[] => [
    kind,
    effect.name ?? null,
    effect.region,
    effect.carrier ?? null,
    effect.direction,
    effect.shift.value,
    effect.shift.low,
    effect.shift.high,
    effect.networkMs,
    effect.rttMs ?? null,
    effect.vantages,
    effect.n.before,
    effect.n.after,
    ...ends(effect.server),
  ];
  const sum = (side: 'before' | 'after') => vantages.reduce((total, { n }) => total + n[side], 0);
  return [
    ...(all
      ? [
          [
            'all',
            null,
            null,
            null,
            all.direction,
            all.shift.value,
            all.shift.low,
            all.shift.high,
            network.value,
            null,
            vantages.length,
            sum('before'),
            sum('after'),
            ...ends(all.server),
          ],
        ]
      : []),
    ...regions.map((effect) => rowOf('region', effect)),
    ...cells.map((effect) => rowOf('cell', effect)),
    ...vantages.map((effect) => rowOf('vantage', effect)),
    ...(mixture ? [partRow('changed', `${mixture.setting} ${mixture.after}`, mixture.effect)] : []),
    ...(mixture?.rest ? [partRow('unchanged', `${mixture.setting} ${mixture.rest.value}`, mixture.rest.effect)] : []),
    ...variants.map(({ variant, milestones }) => partRow('variant', variant, milestones[milestone] ?? null)),
  ];
}

/** A part of the results, or another handshake of the check; its name stands where that of a vantage does. */
function partRow(kind: string, name: string, effect: MilestoneEffect | null): Field[] {
  const shift = effect ? ends(effect.shift) : [null, null, null];
  const head = [kind, name, null, null, effect?.direction ?? null, ...shift];
  return [...head, null, null, null, null, null, ...ends(effect?.server ?? null)];
}

const ends = (interval: ComparisonInterval | null): Field[] =>
  interval ? [interval.value, interval.low, interval.high] : [null, null, null];

const csvField = (value: Field): string => (typeof value === 'string' ? csvText(value) : String(value ?? ''));
