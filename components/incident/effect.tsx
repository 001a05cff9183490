import type { Incident } from '#contract/incident.ts';
import { medianOf } from '#contract/median.ts';
import { badgeText, measuredAs, shareText } from '#i18n/incident.ts';
import { verdict } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { effectTexts } from './incident-text.ts';

/** How bad it is: milliseconds, and the same in proportion beside it; where nothing slowed down, what the rule saw. `large`: it is what to read first. */
export function Effect({ ui, incident, large = false }: { ui: Ui; incident: Incident; large?: boolean }) {
  const { ms, ratio } = effectTexts(ui, incident);
  if (ms === null && ratio === null) return <Badge ui={ui} incident={incident} />;
  const unit = measuredAs(incident) === 'availability' ? 'ratio' : 'ms';
  const kind = verdict(incident.effectRatio ?? incident.effectMs, unit);
  const tone = kind === 'worse' ? 'text-bad' : kind === 'better' ? 'text-good' : '';
  return (
    <span className={`whitespace-nowrap tabular-nums ${tone}`}>
      <span className={`font-semibold ${large ? 'text-[1.7rem] leading-9' : 'text-[1.05rem]'}`}>{ms ?? ratio}</span>
      {ms !== null && ratio !== null ? <span className="ml-1.5 text-[0.9rem]">{ratio}</span> : null}
    </span>
  );
}

function Badge({ ui, incident }: { ui: Ui; incident: Incident }) {
  const text = badgeText(ui, incident) ?? badShareText(ui, incident);
  if (text === null) return <span className="text-muted">{ui.t('common.noValue')}</span>;
  return <span className={`font-semibold ${incident.status === 'resolved' ? '' : 'text-bad'}`}>{text}</span>;
}

/** Of failures how many fail, of sessions how many are refused, the middle of the lines; null where that is not known. */
function badShareText(ui: Ui, incident: Incident): string | null {
  const { metric } = incident;
  if (metric !== 'failures' && metric !== 'refused') return null;
  const share = medianOf(incident.cells.flatMap((cell) => (cell.metric === metric ? (cell.afterMs ?? []) : [])));
  return share === null ? null : ui.t(`incident.badge.${metric}`, { share: shareText(ui, share) });
}
