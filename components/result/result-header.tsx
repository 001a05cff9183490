import type { Result } from '#contract/result.ts';
import type { Ui } from '#i18n/ui.ts';
import { DemoBadge, ImportedBadge } from '../ui/badge.tsx';
import { PageHead } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { locationOf, OutcomeBadge } from './result-table.tsx';
import { VariantBadge } from './variant-badge.tsx';

/** `up`: the list that it is of. */
type Props = { ui: Ui; result: Result; up: { href: string; label: string } | null };

/** Which handshake this is: when, from where, to what, and how it ended. */
export function ResultHeader({ ui, result, up }: Props) {
  const { t } = ui;
  const { failure, vantage } = result;
  return (
    <div className="mb-4">
      <PageHead
        ui={ui}
        up={up}
        title={
          <>
            {t('result.title')} · {locationOf(ui, result)}
            {result.demo ? <DemoBadge ui={ui} /> : null}
            {result.engineVersion === 0 ? <ImportedBadge ui={ui} /> : null}
            <VariantBadge ui={ui} variant={result.variant} />
            <OutcomeBadge ui={ui} result={result} />
          </>
        }
        note={
          <p className="break-words text-muted">
            <Time ui={ui} at={result.startedAt} detail="millisecond" /> {ui.timeZone} · {result.url}
            {vantage ? ` · ${vantage.name} · ${t(`access.${vantage.access}`)}` : ''}
            {vantage?.asn ? ` · AS${vantage.asn}` : ''}
          </p>
        }
      />
      {failure ? (
        <p className="mt-2 rounded-lg bg-bad-soft px-4 py-2 text-bad">
          {t('result.failureIn', {
            reason: t(`failure.${failure.reason}`),
            phase: t(`metric.${failure.phase}`),
            source: t(`failureSource.${failure.source}`),
          })}{' '}
          <span lang="en">{failure.message}</span>
        </p>
      ) : null}
    </div>
  );
}
