import type { Finding } from '#contract/result.ts';
import { findingEvidence } from '#i18n/finding.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { formatDay } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, type Tone } from '../ui/badge.tsx';

const TONES: Record<Finding['severity'], Tone> = { info: 'plain', warning: 'warn', critical: 'bad' };

/** What the evidence of one handshake shows, what to do about it, and what that would save. */
export function Findings({ ui, findings }: { ui: Ui; findings: Finding[] }) {
  const { t } = ui;
  return (
    <section className="panel p-4" aria-labelledby="findings-title">
      <h2 id="findings-title">{t('result.findings')}</h2>
      {findings.length === 0 ? <p className="mt-2 text-muted">{t('result.noFindings')}</p> : null}
      <ul className="mt-1">
        {findings.map((finding) => (
          <li key={finding.code} className="border-line border-t py-2 first:border-t-0">
            <div className="flex flex-wrap items-center gap-2">
              <Badge tone={TONES[finding.severity]}>{t(`severity.${finding.severity}`)}</Badge>
              <h3 className="font-semibold">{t(`finding.${finding.code}`)}</h3>
              <Saving ui={ui} finding={finding} />
            </div>
            <p className="mt-1">{t(`findingDef.${finding.code}`)}</p>
            <p className="mt-1 break-words text-muted">
              {t('result.evidence')}: <Evidence ui={ui} finding={finding} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Evidence({ ui, finding }: { ui: Ui; finding: Finding }) {
  const evidence = findingEvidence(ui, finding, (at) => formatDay(at, ui.timeZone, ui.locale));
  return evidence === null ? <span lang="en">{finding.evidence}</span> : evidence;
}

function Saving({ ui, finding: { savesRoundTrips, savesMs } }: { ui: Ui; finding: Finding }) {
  const parts = [
    savesRoundTrips ? `${formatNumber(ui.locale, savesRoundTrips, 1)} ${ui.t('unit.roundTrips')}` : null,
    savesMs ? formatQuantity(ui, savesMs, 'ms') : null,
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  return (
    <span className="ml-auto font-medium">
      {ui.t('result.saves')} {parts.join(' · ')}
    </span>
  );
}
