import Link from 'next/link';
import type { Target } from '#contract/target.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Filter, filterHref } from '../filters/filter.ts';
import { ProbeNow } from '../measurement/probe-now.tsx';
import { Badge, DemoBadge, GeneratedBadge, ImportedUntilBadge, ManagedBadge } from '../ui/badge.tsx';
import type { FormAction } from '../ui/form.tsx';
import { PageHead } from '../ui/page.tsx';
import { demoNote } from './demo-note.ts';

export const TARGET_VIEWS = ['overview', 'advice', 'trend', 'results'] as const;
export type TargetView = (typeof TARGET_VIEWS)[number];

type Props = {
  ui: Ui;
  target: Target;
  path: string;
  filter: Filter;
  view: TargetView;
  editable: boolean;
  /** Probes it now. */
  probe: FormAction;
  generatedUntil: string | null;
  importedUntil: string | null;
};

/** Which target this is, and the views of it; they keep the filter. */
export function TargetHeader({ ui, target, path, filter, view, editable, probe, ...until }: Props) {
  const { t } = ui;
  return (
    <PageHead
      ui={ui}
      up={{ href: '/', label: t('nav.overview') }}
      title={
        <>
          {target.name}
          {target.demo ? <DemoBadge ui={ui} /> : null}
          {target.managed ? <ManagedBadge ui={ui} /> : null}
          <GeneratedBadge ui={ui} until={until.generatedUntil} />
          <ImportedUntilBadge ui={ui} until={until.importedUntil} />
          {target.enabled ? null : <Badge>{t('targets.paused')}</Badge>}
        </>
      }
      note={
        <p className="truncate text-muted">
          {[demoNote(ui, target), target.url, t('target.every', { seconds: target.periodSeconds })]
            .filter(Boolean)
            .join(' · ')}
        </p>
      }
      actions={
        <div className="flex flex-wrap items-center gap-2">
          <nav aria-label={t('target.tabs')} className="segments">
            {TARGET_VIEWS.map((name) => (
              <Link
                key={name}
                href={filterHref(name === 'overview' ? path : `${path}/${name}`, filter)}
                prefetch={false}
                aria-current={name === view ? 'page' : undefined}
              >
                {t(`target.${name}`)}
              </Link>
            ))}
          </nav>
          <Link href={`/comparisons?target=${target.id}`} prefetch={false} className="btn">
            {t('comparison.title')}
          </Link>
          {editable ? (
            <>
              <ProbeNow action={probe} label={t('measurement.title')} className="btn" />
              <Link href={`${path}/edit`} prefetch={false} className="btn">
                {t('common.edit')}
              </Link>
            </>
          ) : null}
        </div>
      }
    />
  );
}
