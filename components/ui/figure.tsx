import type { ReactNode } from 'react';
import type { Unit } from '#contract/vocabulary.ts';
import { formatNumber, formatQuantity, quantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Against } from '../filters/filter.ts';
import { ChangeBadge } from './change.tsx';
import { Define } from './define.tsx';

export type FigureValue = {
  label: string;
  definition: string;
  unit: Unit;
  value: number | null;
  n: number;
  /** Left out where it is set against nothing. */
  change: number | null | undefined;
  /** The usual level of it; left out where there is none. */
  usual?: number | null | undefined;
};

type FigureProps = { ui: Ui; figure: FigureValue; against: Against; children: ReactNode };

/** One of the large figures: a name with its definition, a value with its unit, its change and the count behind it. */
export function Figure({ ui, figure, against, children }: FigureProps) {
  const { text, unit } = quantity(ui, figure.value, figure.unit);
  return (
    <div className="min-w-0 px-4 py-3">
      <dt className="text-[0.9rem] text-muted">
        <Define term={figure.label} definition={figure.definition} />
      </dt>
      <dd>
        <div className="font-semibold text-[1.75rem] leading-tight tracking-tight">
          {text}
          {unit ? <span className="ml-1 font-medium text-[0.95rem] text-muted">{unit}</span> : null}
        </div>
        <div className="mt-0.5 flex flex-wrap items-center gap-x-2 text-[0.86rem] text-muted">
          {figure.change === undefined ? null : (
            <ChangeBadge ui={ui} change={figure.change} unit={figure.unit} against={against} />
          )}
          <span className="whitespace-nowrap" title={ui.t('common.nDef')}>
            {ui.t('common.n', { n: formatNumber(ui.locale, figure.n) })}
          </span>
          {children}
        </div>
        {figure.usual == null ? null : (
          <div className="text-[0.86rem] text-muted" title={ui.t('usual.def')}>
            {ui.t('usual.figure', { level: formatQuantity(ui, figure.usual, figure.unit) })}
          </div>
        )}
      </dd>
    </div>
  );
}
