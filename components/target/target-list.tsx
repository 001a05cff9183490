import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Waste } from '#contract/advice.ts';
import type { FailureSum } from '#contract/failure.ts';
import { changeFromUsual } from '#contract/target-summary.ts';
import { wasteShort, wasteText } from '#i18n/advice.ts';
import { reasonText } from '#i18n/incident.ts';
import { locationName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { sinceText } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { slowerFrom, slowerText } from '#i18n/usual.ts';
import { IncidentLine } from '../incident/incident-line.tsx';
import { Badge, DemoBadge } from '../ui/badge.tsx';
import { ChangeBadge } from '../ui/change.tsx';
import { Sparkline, type SparkMark } from '../ui/sparkline.tsx';
import { type Column, type Stripe, Table } from '../ui/table.tsx';
import { demoNote } from './demo-note.ts';
import { FailureList } from './failure-list.tsx';
import { isOfFailures, needsLook, type RankedTarget, type Trouble } from './rank.ts';

type Props = {
  ui: Ui;
  targets: RankedTarget[];
  /** What happened to targets lately, by their ids. */
  marks: ReadonlyMap<string, SparkMark[]>;
  /** What of a visit is waste, by the targets' ids. */
  wastes: ReadonlyMap<string, Waste>;
  /** Milliseconds. */
  now: number;
};

/** The table of all targets; what needs a look says why in a sentence below its figures. */
export function TargetList({ ui, targets, marks, wastes, now }: Props) {
  const { t } = ui;
  return (
    <Table
      label={t('targets.title')}
      className="panel"
      rows={targets}
      rowKey={({ target }) => target.id}
      stripe={stripeOf}
      below={(entry) => reasons(ui, entry, now)}
      columns={[
        {
          key: 'name',
          head: t('common.name'),
          cell: (entry) => <Name ui={ui} entry={entry} waste={wastes.get(entry.target.id)} />,
          rowHead: true,
          className: 'min-w-44 max-w-[46vw] whitespace-normal font-normal sm:min-w-52 sm:max-w-none',
        },
        ...timeColumns(ui),
        {
          key: 'availability',
          head: head(t('stat.availability'), t('statDef.availability')),
          cell: ({ target, trouble }) => (
            <span className={trouble.includes('failing') ? 'font-semibold text-bad' : ''}>
              {formatQuantity(ui, target.availability, 'ratio')}
            </span>
          ),
          numeric: true,
          title: ({ target }) => t('common.n', { n: formatNumber(ui.locale, target.n) }),
        },
        {
          key: 'trend',
          head: t('targets.trend'),
          cell: ({ target }) => <Sparkline ui={ui} points={target.sparkline} marks={marks.get(target.id) ?? []} />,
          className: 'py-1',
        },
        {
          key: 'worst',
          head: <span title={t('targets.worstDef')}>{t('targets.worst')}</span>,
          cell: ({ target }) => <Worst ui={ui} target={target} />,
          className: 'whitespace-nowrap',
        },
      ]}
    />
  );
}

/** The TLS times; of a target whose every probe fails, the reason in their place. */
function timeColumns(ui: Ui): Column<RankedTarget>[] {
  const { t } = ui;
  const definition = (stat: 'p50' | 'p95') => `${t('metricDef.tls')} ${t(`statDef.${stat}`)}`;
  return [
    {
      key: 'p50',
      head: head(t('targets.tlsP50'), definition('p50')),
      cell: (entry) => {
        const reason = reasonInstead(entry);
        if (!reason) return formatQuantity(ui, entry.target.p50, 'ms');
        return <span className="block max-w-[38vw] sm:max-w-none">{reasonText(ui, reason)}</span>;
      },
      numeric: true,
      span: (entry) => (reasonInstead(entry) ? 3 : 1),
      className: (entry) =>
        reasonInstead(entry) ? 'whitespace-normal text-left text-bad' : 'font-semibold text-[1.1rem]',
    },
    {
      key: 'change',
      head: head(t('usual.label'), t('usual.def')),
      cell: ({ target }) => <ChangeBadge ui={ui} change={changeFromUsual(target)} unit="ms" against="usual" />,
      numeric: true,
      span: (entry) => (reasonInstead(entry) ? 0 : 1),
    },
    {
      key: 'p95',
      head: head(t('targets.tlsP95'), definition('p95')),
      cell: ({ target }) => formatQuantity(ui, target.p95, 'ms'),
      numeric: true,
      span: (entry) => (reasonInstead(entry) ? 0 : 1),
    },
  ];
}

/** Why a target without a TLS time fails; none where it has one, or where only probers are at fault. */
const reasonInstead = ({ target: { p50, failures } }: RankedTarget) =>
  p50 === null ? failures.find(isNotProbers) : undefined;

const head = (label: string, definition: string) => (
  <abbr title={definition} className="cursor-help underline decoration-dotted underline-offset-4">
    {label}
  </abbr>
);

const STRIPES: Record<Trouble, Stripe> = {
  failing: 'bad',
  stale: 'bad',
  slower: 'warn',
  slow: 'warn',
};

function stripeOf({ incidents: [worst], trouble: [first] }: RankedTarget): Stripe | null {
  if (worst && needsLook(worst)) return worst.severity === 'info' ? 'warn' : 'bad';
  return first ? STRIPES[first] : worst ? 'warn' : null;
}

type NameProps = { ui: Ui; entry: RankedTarget; waste: Waste | undefined };

function Name({ ui, entry: { target, trouble }, waste }: NameProps) {
  const about = demoNote(ui, target) ?? target.url;
  return (
    <>
      <div className="flex flex-wrap items-center gap-1.5">
        <Link href={`/targets/${target.id}`} prefetch={false} className="font-semibold hover:underline">
          {target.name}
        </Link>
        {target.demo ? <DemoBadge ui={ui} /> : null}
        {trouble.map((kind) => (
          <Badge key={kind} tone={kind === 'failing' || kind === 'stale' ? 'bad' : 'warn'}>
            {ui.t(`targets.reasons.${kind}`)}
          </Badge>
        ))}
        <Waiting ui={ui} target={target} />
      </div>
      <span className="block max-w-80 truncate text-[0.86rem] text-muted" title={about}>
        {about}
      </span>
      {waste ? (
        <Link
          href={`/targets/${target.id}/advice`}
          prefetch={false}
          className="link text-[0.86rem]"
          title={wasteText(ui, waste)}
        >
          {wasteShort(ui, waste)}
        </Link>
      ) : null}
    </>
  );
}

const isNotProbers = ({ source }: FailureSum) => source !== 'prober';

/** Why a target needs a look: its most urgent incident, why probes fail where no incident says it, and a lack of results. */
function reasons(ui: Ui, entry: RankedTarget, now: number): ReactNode {
  const { t } = ui;
  const { target, incidents, trouble } = entry;
  const [worst] = incidents;
  // The incident that is shown may say it already; one of several targets names no reason.
  const isTold = worst !== undefined && isOfFailures(worst) && worst.failure !== null;
  const failures = trouble.includes('failing') && !isTold ? target.failures.filter(isNotProbers) : [];
  const probers = target.failures.filter((failure) => !isNotProbers(failure) && failure.share >= TOLD_SHARE);
  const told = [...failures.slice(0, KINDS), ...probers.slice(0, 1)];
  const { p50, usual, slowerSince: since } = target;
  const slower =
    since === null || p50 === null || usual.tls === undefined
      ? null
      : { since: slowerFrom(since, incidents), value: p50, usual: usual.tls };
  if (!worst && told.length === 0 && target.staleSince === null && slower === null) return null;
  return (
    <ul className="sticky left-3 max-w-[calc(100vw-4rem)] sm:max-w-none">
      {worst ? (
        <li className="py-0.5">
          <IncidentLine ui={ui} parts={worst} now={now} />
          <MoreIncidents ui={ui} target={target} n={incidents.length - 1} />
        </li>
      ) : null}
      {target.staleSince === null ? null : (
        <li className="py-0.5 text-bad">
          {t(target.lastResultAt === null ? 'failing.staleNew' : 'failing.stale', {
            time: sinceText(ui, target.staleSince, now),
          })}
        </li>
      )}
      {slower ? <li className="py-0.5 text-warn">{slowerText(ui, slower, now)}</li> : null}
      <FailureList ui={ui} failures={told} places={target.places} now={now} />
    </ul>
  );
}

/** So many kinds of failure are told of a target here; what probers got wrong from this share on. */
const KINDS = 2;
const TOLD_SHARE = 0.01;

function MoreIncidents({ ui, target: { id, name }, n }: Pick<RankedTarget, 'target'> & { ui: Ui; n: number }) {
  if (n === 0) return null;
  return (
    <Link
      href={`/incidents?target=${id}`}
      prefetch={false}
      className="link ml-3 whitespace-nowrap"
      aria-label={ui.t('brief.moreOn', { n, name })}
    >
      {ui.t('brief.more', { n })}
    </Link>
  );
}

/** Says whether a target's first result is still to come and not overdue. */
export const isAwaited = ({ enabled, lastResultAt, staleSince }: RankedTarget['target']) =>
  enabled && lastResultAt === null && staleSince === null;

function Waiting({ ui, target }: Pick<RankedTarget, 'target'> & { ui: Ui }) {
  if (!target.enabled) return <Badge>{ui.t('targets.reasons.paused')}</Badge>;
  return isAwaited(target) ? <Badge title={ui.t('targets.waiting')}>{ui.t('targets.reasons.waiting')}</Badge> : null;
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
        {locationName(ui, worst.region, worst.carrier)}
      </Link>{' '}
      <span className="tabular-nums">{formatQuantity(ui, worst.value, 'ms')}</span>{' '}
      <ChangeBadge ui={ui} change={worst.change} unit="ms" quiet />
    </>
  );
}
