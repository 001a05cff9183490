import { PHASES, type Phase, type Stat } from '#contract/vocabulary.ts';

/** How a line is told from the others: by colour, and by dashes and markers for readers who can't tell colours. */
export type LineStyle = { token: string; dash: number[]; marker: Marker };
export type Marker = 'circle' | 'triangle' | 'rect' | 'rectRot' | 'cross' | 'star';

const MARKERS: Marker[] = ['circle', 'triangle', 'rect', 'rectRot', 'cross', 'star'];
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [1, 4]];

const CARRIERS = ['telecom', 'unicom', 'mobile', 'cernet', 'broadnet', 'other'];

/** A carrier has the same colour and marker on every page; several regions of one carrier differ by their dashes. */
export function carrierStyle(carrier: string, region = 0): LineStyle {
  const known = CARRIERS.indexOf(carrier);
  const index = known < 0 ? CARRIERS.length - 1 : known;
  return {
    token: `--carrier-${CARRIERS[index]}`,
    dash: DASHES[Math.max(region, 0) % DASHES.length] ?? [],
    marker: MARKERS[index % MARKERS.length] ?? 'circle',
  };
}

export function phaseStyle(phase: Phase, index: number): LineStyle {
  return { token: `--phase-${phase}`, dash: [], marker: MARKERS[index % MARKERS.length] ?? 'circle' };
}

/** Values that have no colours of their own: those of phases. */
export function makeupStyle(index: number): LineStyle {
  const phase = PHASES[index % PHASES.length] ?? 'dns';
  return phaseStyle(phase, index);
}

const STAT_STYLES: Partial<Record<Stat, LineStyle>> = {
  p50: { token: '--accent', dash: [], marker: 'circle' },
  p95: { token: '--warn', dash: [7, 4], marker: 'triangle' },
  min: { token: '--muted', dash: [1, 3], marker: 'rectRot' },
  max: { token: '--muted', dash: [], marker: 'star' },
  p99: { token: '--bad', dash: [2, 3], marker: 'rect' },
};

export const statStyle = (stat: Stat): LineStyle =>
  STAT_STYLES[stat] ?? { token: '--muted', dash: [], marker: 'circle' };
