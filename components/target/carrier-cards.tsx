import Link from 'next/link';
import type { FailureSum } from '#contract/failure.ts';
import { reasonText } from '#i18n/incident.ts';
import { carrierFull, carrierName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { LineSwatch } from '../charts/line-swatch.tsx';
import { carrierStyle } from '../charts/styles.ts';
import { type Filter, filterHref } from '../filters/filter.ts';

import { ChangeBadge } from '../ui/change.tsx';
import { Define } from '../ui/define.tsx';

/** TLS figures of one carrier over all regions chosen. `change` is the P50's, relative, against what the filter says. */
export type CarrierFigures = {
  carrier: string;
  p50: number | null;
  p95: number | null;
  availability: number | null;
  n: number;
  change: number | null;
};

type Props = { ui: Ui; path: string; filter: Filter; carriers: CarrierFigures[]; failures: FailureSum[] };

/** A card a carrier: what its users see. */
export function CarrierCards({ ui, path, filter, carriers, failures }: Props) {
  return (
    <section
      aria-label={ui.t('target.carriers')}
      className="mb-4 grid gap-4 sm:grid-cols-[repeat(auto-fit,minmax(17rem,1fr))]"
    >
      {carriers.map((figures) => (
        <Card
          key={figures.carrier}
          ui={ui}
          path={path}
          filter={filter}
          figures={figures}
          failure={failures.find((failure) => isSeenBy(failure, figures))}
        />
      ))}
    </section>
  );
}

const isSeenBy = ({ source, places }: FailureSum, { carrier }: CarrierFigures) =>
  source !== 'prober' && places.some((place) => place.carrier === carrier);

type CardProps = Pick<Props, 'ui' | 'path' | 'filter'> & { figures: CarrierFigures; failure: FailureSum | undefined };

/** Where every probe of a carrier fails, the reason stands in the place of its times. */
function Card({ ui, path, filter, figures, failure }: CardProps) {
  const { t } = ui;
  const reason = figures.p50 === null && figures.availability === 0 ? failure : undefined;
  return (
    <article className="panel px-4 py-2.5">
      <div className="flex items-center gap-2">
        <h2 title={carrierFull(ui, figures.carrier)}>
          <Link
            href={filterHref(`${path}/trend`, filter, { carriers: [figures.carrier] })}
            prefetch={false}
            className="flex min-h-[24px] items-center gap-2 hover:underline"
          >
            <LineSwatch style={carrierStyle(figures.carrier)} />
            {carrierName(ui, figures.carrier)}
          </Link>
        </h2>
        <ChangeBadge ui={ui} change={figures.change} unit="ms" against={filter.against} />
        <span className="ml-auto text-[0.86rem] text-muted" title={t('common.nDef')}>
          {t('common.n', { n: formatNumber(ui.locale, figures.n) })}
        </span>
      </div>
      <dl className="mt-1 grid grid-cols-3 gap-2">
        {reason ? (
          <div className="col-span-2 min-w-0">
            <dt className="text-[0.86rem] text-muted">{t('failing.title')}</dt>
            <dd className="text-bad leading-tight">{reasonText(ui, reason)}</dd>
          </div>
        ) : (
          <>
            <Value
              term={t('targets.tlsP50')}
              definition={`${t('metricDef.tls')} ${t('statDef.p50')}`}
              value={formatQuantity(ui, figures.p50, 'ms')}
            />
            <Value
              term={t('targets.tlsP95')}
              definition={t('statDef.p95')}
              value={formatQuantity(ui, figures.p95, 'ms')}
            />
          </>
        )}
        <Value
          term={t('stat.availability')}
          definition={t('statDef.availability')}
          value={formatQuantity(ui, figures.availability, 'ratio')}
        />
      </dl>
    </article>
  );
}

function Value({ term, definition, value }: { term: string; definition: string; value: string }) {
  return (
    <div className="min-w-0">
      <dt className="text-[0.86rem] text-muted">
        <Define term={term} definition={definition} />
      </dt>
      <dd className="whitespace-nowrap font-semibold text-[1.1rem] leading-tight">{value}</dd>
    </div>
  );
}
