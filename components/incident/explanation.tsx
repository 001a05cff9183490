import type { IncidentExplanation } from '#contract/explanation.ts';
import { excessText, msText, partText, whereText } from '#i18n/explanation.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Bar } from '../ui/bar.tsx';

/** Parts of less than this share have no bar. */
const LEAST_SHARE = 0.01;

/** What the excess is made of, as a sentence and a bar for each part, and which results it is limited to. */
export function Explanation({ ui, explanation }: { ui: Ui; explanation: IncidentExplanation }) {
  const { t } = ui;
  const { parts, excessMs, where, detected, cause, results, series } = explanation;
  const sign = Math.sign(excessMs);
  const widest = Math.max(...parts.map(({ share }) => Math.abs(share)));
  const limited = whereText(ui, where);
  return (
    <div className="mt-3">
      <h3 className="font-medium">{t('explanation.title')}</h3>
      <p className="mt-1">{excessText(ui, explanation)}</p>
      {limited ? <p className="mt-1 break-words">{limited}</p> : null}
      <ul className="mt-2 grid grid-cols-[minmax(0,1fr)_minmax(4rem,8rem)_auto_auto] items-center gap-x-3 gap-y-1 text-[0.92rem]">
        {parts
          .filter(({ share }) => Math.abs(share) >= LEAST_SHARE)
          .map(({ code, ms, share }) => (
            <li key={code} className="contents">
              <span className="min-w-0 break-words">{partText(ui, code, explanation)}</span>
              <Bar
                className="h-2 rounded-full"
                spans={[{ from: 0, share: Math.abs(share) / widest, token: share < 0 ? '--muted' : '--accent' }]}
              />
              <span className="text-right tabular-nums">{msText(ui, sign * ms)}</span>
              <span className="text-right text-muted tabular-nums">
                {formatQuantity(ui, Math.round(share * 100) / 100, 'ratio')}
              </span>
            </li>
          ))}
      </ul>
      <p className="mt-2 text-[0.86rem] text-muted">
        {t('explanation.basis', { before: results.before, after: results.after, series })}{' '}
        {detected !== null && cause !== null && detected !== cause
          ? t('explanation.detected', { cause: t(`incident.cause.${detected}`) })
          : ''}
      </p>
    </div>
  );
}
