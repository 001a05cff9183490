import type { Incident } from '#contract/incident.ts';
import { verdict } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { effectTexts } from './words.ts';

/** How bad it is: milliseconds, and the same in proportion beside it. */
export function Effect({ ui, incident }: { ui: Ui; incident: Incident }) {
  const { ms, ratio } = effectTexts(ui, incident);
  if (ms === null && ratio === null) return <span className="text-muted">{ui.t('common.noValue')}</span>;
  const kind = verdict(incident.effectRatio ?? incident.effectMs, 'ms');
  const tone = kind === 'worse' ? 'text-bad' : kind === 'better' ? 'text-good' : '';
  return (
    <span className={`whitespace-nowrap tabular-nums ${tone}`}>
      <span className="font-semibold text-[1.05rem]">{ms ?? ratio}</span>
      {ms !== null && ratio !== null ? <span className="ml-1.5 text-[0.9rem]">{ratio}</span> : null}
    </span>
  );
}
