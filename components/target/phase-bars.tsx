import { PHASES } from '#contract/vocabulary.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { phaseStyle } from '../charts/styles.ts';

/** Medians (ms), a phase each, in the order in which they happen; null where it did not. */
export type PhaseMedians = readonly (number | null)[];
export type Phases = { all: PhaseMedians; regions: ReadonlyMap<string, PhaseMedians> };

const WIDTH = 104;
const HEIGHT = 24;
const BAR = 4;

/** The longest median (ms) of all places; 0 where there is none. */
export const longestOf = ({ all, regions }: Phases) =>
  Math.max(0, ...[all, ...regions.values()].flat().map((median) => median ?? 0));

/** A place's phases, a bar below the other; `longest` (ms) fills the width. What takes any time is to be seen. */
export function PhaseBars({ ui, medians, longest }: { ui: Ui; medians: PhaseMedians | undefined; longest: number }) {
  const bars = PHASES.flatMap((phase, index) => {
    const ms = medians?.[index] ?? null;
    return ms === null ? [] : [{ phase, index, ms }];
  });
  if (bars.length === 0) return null;
  return (
    <svg width={WIDTH} height={HEIGHT} role="img">
      <title>
        {bars
          .map(({ phase, ms }) => `${ui.t(`metric.${phase}`)} ${formatQuantity(ui, ms, 'ms')}`)
          .join(ui.t('punctuation.comma'))}
      </title>
      {bars.map(({ phase, index, ms }) => (
        <rect
          key={phase}
          y={index * (BAR + 1)}
          width={Math.max(1, Math.round((ms / longest) * WIDTH))}
          height={BAR}
          fill={`var(${phaseStyle(phase, index).token})`}
        />
      ))}
    </svg>
  );
}

/** Which bar is which, from top to bottom, and what fills the width. */
export function PhaseLegend({ ui, longest }: { ui: Ui; longest: number }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 text-[0.86rem] text-muted max-sm:hidden">
      <span>{ui.t('target.phasesLegend', { longest: formatQuantity(ui, longest, 'ms') })}</span>
      <ol className="flex flex-wrap gap-x-3">
        {PHASES.map((phase, index) => (
          <li key={phase} className="flex items-center gap-1">
            <svg width="12" height="8" aria-hidden="true">
              <rect width="12" height="8" fill={`var(${phaseStyle(phase, index).token})`} />
            </svg>
            {ui.t(`metric.${phase}`)}
          </li>
        ))}
      </ol>
    </div>
  );
}
