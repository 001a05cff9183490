import Link from 'next/link';
import { lineName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, DemoBadge } from '../ui/badge.tsx';
import { ChangeBadge } from '../ui/change.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Sparkline, type SparkMark } from '../ui/sparkline.tsx';
import type { RankedTarget, Trouble } from './rank.ts';

/** What happened to a target lately; `unresolved` counts its incidents. */
export type TargetNews = { unresolved: number; marks: SparkMark[] };

/** The table of all targets; `news` is by their ids. */
export function TargetList({ ui, targets, news }: { ui: Ui; targets: RankedTarget[]; news: Map<string, TargetNews> }) {
  const { t } = ui;
  return (
    <ScrollBox label={t('targets.title')} className="panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('common.name')}</th>
            <Heading label={t('targets.tlsP50')} definition={`${t('metricDef.tls')} ${t('statDef.p50')}`} />
            <Heading label={t('change.label')} definition={t('change.def')} />
            <Heading label={t('targets.tlsP95')} definition={`${t('metricDef.tls')} ${t('statDef.p95')}`} />
            <Heading label={t('stat.availability')} definition={t('statDef.availability')} />
            <th scope="col">{t('targets.trend')}</th>
            <th scope="col" title={t('targets.worstDef')}>
              {t('targets.worst')}
            </th>
          </tr>
        </thead>
        <tbody>
          {targets.map((entry) => (
            <Row key={entry.target.id} ui={ui} entry={entry} news={news.get(entry.target.id)} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Heading({ label, definition }: { label: string; definition: string }) {
  return (
    <th scope="col" className="num">
      <abbr title={definition} className="cursor-help underline decoration-dotted underline-offset-4">
        {label}
      </abbr>
    </th>
  );
}

const STRIPES: Record<Trouble, string> = { failing: 'var(--bad)', slower: 'var(--warn)', slow: 'var(--warn)' };

type RowProps = { ui: Ui; entry: RankedTarget; news: TargetNews | undefined };

function Row({ ui, entry: { target, trouble }, news }: RowProps) {
  const { t } = ui;
  const stripe = trouble[0] ? { boxShadow: `inset 3px 0 ${STRIPES[trouble[0]]}` } : undefined;
  return (
    <tr>
      <th
        scope="row"
        style={stripe}
        className="min-w-44 max-w-[46vw] whitespace-normal font-normal sm:min-w-52 sm:max-w-none"
      >
        <div className="flex flex-wrap items-center gap-1.5">
          <Link href={`/targets/${target.id}`} prefetch={false} className="font-semibold hover:underline">
            {target.name}
          </Link>
          {target.demo ? <DemoBadge ui={ui} /> : null}
          {trouble.map((kind) => (
            <Badge key={kind} tone={kind === 'failing' ? 'bad' : 'warn'}>
              {t(`targets.reasons.${kind}`)}
            </Badge>
          ))}
          <Unresolved ui={ui} id={target.id} n={news?.unresolved ?? 0} />
          <Waiting ui={ui} enabled={target.enabled} awaited={isAwaited(target)} />
        </div>
        <span className="block max-w-80 truncate text-[0.86rem] text-muted">{target.url}</span>
      </th>
      <td className="num font-semibold text-[1.1rem]">{formatQuantity(ui, target.p50, 'ms')}</td>
      <td className="num">
        <ChangeBadge ui={ui} change={target.changeVsYesterday} unit="ms" />
      </td>
      <td className="num">{formatQuantity(ui, target.p95, 'ms')}</td>
      <td className="num" title={t('common.n', { n: formatNumber(ui.locale, target.n) })}>
        <span className={trouble.includes('failing') ? 'font-semibold text-bad' : ''}>
          {formatQuantity(ui, target.availability, 'ratio')}
        </span>
      </td>
      <td className="py-1">
        <Sparkline ui={ui} points={target.sparkline} marks={news?.marks ?? []} />
      </td>
      <td className="whitespace-nowrap">
        <Worst ui={ui} target={target} />
      </td>
    </tr>
  );
}

/** Says whether not one result came yet, not even a failed one. */
export const isAwaited = ({ n, availability }: RankedTarget['target']) => n === 0 && availability === null;

function Unresolved({ ui, id, n }: { ui: Ui; id: string; n: number }) {
  if (n === 0) return null;
  return (
    <Link
      href={`/incidents?target=${id}`}
      prefetch={false}
      className="badge badge-bad hover:underline"
      aria-label={ui.t('incidents.onTarget', { n })}
    >
      {ui.t('incidents.count', { n })}
    </Link>
  );
}

function Waiting({ ui, enabled, awaited }: { ui: Ui; enabled: boolean; awaited: boolean }) {
  if (!enabled) return <Badge>{ui.t('targets.reasons.paused')}</Badge>;
  return awaited ? <Badge title={ui.t('targets.waiting')}>{ui.t('targets.reasons.waiting')}</Badge> : null;
}

function Worst({ ui, target: { id, worst } }: { ui: Ui; target: RankedTarget['target'] }) {
  if (!worst) return <span className="text-muted">{ui.t('common.noValue')}</span>;
  return (
    <>
      <Link
        href={`/targets/${id}/trend?region=${worst.region}&carrier=${worst.carrier}`}
        prefetch={false}
        className="link"
      >
        {lineName(ui, worst.region, worst.carrier)}
      </Link>{' '}
      <span className="tabular-nums">{formatQuantity(ui, worst.value, 'ms')}</span>{' '}
      <ChangeBadge ui={ui} change={worst.change} unit="ms" quiet />
    </>
  );
}
