import { kindText } from '#i18n/incident.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { described } from '../incident/incident-text.ts';
import type { RankedTarget } from '../target/rank.ts';
import { TargetState } from '../target/target-state.tsx';
import { DemoBadge } from '../ui/badge.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import { stateOf } from './state.ts';

/** The state of targets for those who cannot sign in: nothing leads on, and no address is named. `now` in ms. */
export function StatusList({ ui, targets, now }: { ui: Ui; targets: readonly RankedTarget[]; now: number }) {
  const { t } = ui;
  const { state, troubled } = stateOf(targets);
  const tones = { none: '', unmeasured: 'text-muted', troubled: 'text-bad', fine: 'text-good' };
  return (
    <>
      <h2 className={`panel mb-4 px-4 py-3 font-semibold text-[1.3rem] ${tones[state]}`}>
        {t(`status.${state}`, { troubled, n: targets.length })}
      </h2>
      <ul className="panel">
        {targets.map((entry) => (
          <li key={entry.target.id} className="border-line border-t px-4 py-3 first:border-t-0">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <span className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-2 break-words font-semibold">
                {entry.target.name}
                {entry.target.demo ? <DemoBadge ui={ui} /> : null}
              </span>
              <TargetState ui={ui} entry={entry} now={now} linked={false} />
              <span className="tabular-nums">
                {t('metric.tls')} {formatQuantity(ui, entry.target.p50, 'ms')} ·{' '}
                {formatQuantity(ui, entry.target.availability, 'ratio')}
              </span>
              <Sparkline ui={ui} points={entry.target.days} said={(values) => t('board.daysSaid', values)} />
            </div>
            {entry.incidents.map((incident) => (
              <p key={incident.id} className="mt-1 text-muted">
                {kindText(ui, incident)}
                {t('punctuation.colon')}
                {described(ui, incident, now).brief}
              </p>
            ))}
          </li>
        ))}
      </ul>
      <p className="mt-2 text-[0.86rem] text-muted">{t('status.note')}</p>
    </>
  );
}
