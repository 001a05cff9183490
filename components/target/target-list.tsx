import Link from 'next/link';
import type { FailureSum } from '#contract/failure.ts';
import { reasonText } from '#i18n/incident.ts';
import { lineName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { sinceText } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { IncidentLine } from '../incident/incident-line.tsx';
import { Badge, DemoBadge } from '../ui/badge.tsx';
import { ChangeBadge } from '../ui/change.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Sparkline, type SparkMark } from '../ui/sparkline.tsx';
import { FailureList } from './failure-list.tsx';
import { isOfFailures, type RankedTarget, type Trouble } from './rank.ts';

type Props = {
  ui: Ui;
  targets: RankedTarget[];
  /** What happened to targets lately, by their ids. */
  marks: ReadonlyMap<string, SparkMark[]>;
  /** Milliseconds. */
  now: number;
};

/** The table of all targets; what needs a look says why in a sentence below its figures. */
export function TargetList({ ui, targets, marks, now }: Props) {
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
        {targets.map((entry) => (
          <tbody key={entry.target.id} className="border-line [&>tr>*]:border-b-0 [tbody+&]:border-t">
            <Row ui={ui} entry={entry} marks={marks.get(entry.target.id) ?? []} />
            <Reasons ui={ui} entry={entry} now={now} />
          </tbody>
        ))}
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

const STRIPES: Record<Trouble, string> = {
  failing: 'var(--bad)',
  stale: 'var(--bad)',
  slower: 'var(--warn)',
  slow: 'var(--warn)',
};

function stripeOf({ incidents: [worst], trouble: [first] }: RankedTarget): string | undefined {
  if (worst && !worst.acknowledged) return `inset 3px 0 var(--${worst.severity === 'info' ? 'warn' : 'bad'})`;
  const colour = first ? STRIPES[first] : worst ? 'var(--warn)' : null;
  return colour ? `inset 3px 0 ${colour}` : undefined;
}

function Row({ ui, entry, marks }: { ui: Ui; entry: RankedTarget; marks: SparkMark[] }) {
  const { t } = ui;
  const { target, trouble } = entry;
  const boxShadow = stripeOf(entry);
  return (
    <tr>
      <th
        scope="row"
        style={boxShadow ? { boxShadow } : undefined}
        className="min-w-44 max-w-[46vw] whitespace-normal font-normal sm:min-w-52 sm:max-w-none"
      >
        <div className="flex flex-wrap items-center gap-1.5">
          <Link href={`/targets/${target.id}`} prefetch={false} className="font-semibold hover:underline">
            {target.name}
          </Link>
          {target.demo ? <DemoBadge ui={ui} /> : null}
          {trouble.map((kind) => (
            <Badge key={kind} tone={kind === 'failing' || kind === 'stale' ? 'bad' : 'warn'}>
              {t(`targets.reasons.${kind}`)}
            </Badge>
          ))}
          <Waiting ui={ui} target={target} />
        </div>
        <span className="block max-w-80 truncate text-[0.86rem] text-muted">{target.url}</span>
      </th>
      <Times ui={ui} target={target} />
      <td className="num" title={t('common.n', { n: formatNumber(ui.locale, target.n) })}>
        <span className={trouble.includes('failing') ? 'font-semibold text-bad' : ''}>
          {formatQuantity(ui, target.availability, 'ratio')}
        </span>
      </td>
      <td className="py-1">
        <Sparkline ui={ui} points={target.sparkline} marks={marks} />
      </td>
      <td className="whitespace-nowrap">
        <Worst ui={ui} target={target} />
      </td>
    </tr>
  );
}

/** The TLS times; of a target whose every probe fails, the reason in their place. */
function Times({ ui, target: { p50, p95, changeVsYesterday, failures } }: Pick<RankedTarget, 'target'> & { ui: Ui }) {
  const reason = p50 === null ? failures.find(isNotProbers) : undefined;
  if (reason)
    return (
      <td colSpan={3} className="whitespace-normal text-bad">
        <span className="block max-w-[38vw] sm:max-w-none">{reasonText(ui, reason)}</span>
      </td>
    );
  return (
    <>
      <td className="num font-semibold text-[1.1rem]">{formatQuantity(ui, p50, 'ms')}</td>
      <td className="num">
        <ChangeBadge ui={ui} change={changeVsYesterday} unit="ms" />
      </td>
      <td className="num">{formatQuantity(ui, p95, 'ms')}</td>
    </>
  );
}

const isNotProbers = ({ source }: FailureSum) => source !== 'prober';

/** Why a target needs a look: its most urgent incident, why probes fail where no incident says it, and a lack of results. */
function Reasons({ ui, entry, now }: { ui: Ui; entry: RankedTarget; now: number }) {
  const { t } = ui;
  const { target, incidents, trouble } = entry;
  const [worst] = incidents;
  // The incident that is shown may say it already; one of several targets names no reason.
  const isTold = worst !== undefined && isOfFailures(worst) && worst.failure !== null;
  const failures = trouble.includes('failing') && !isTold ? target.failures.filter(isNotProbers) : [];
  const probers = target.failures.filter((failure) => !isNotProbers(failure) && failure.share >= TOLD_SHARE);
  const told = [...failures.slice(0, KINDS), ...probers.slice(0, 1)];
  if (!worst && told.length === 0 && target.staleSince === null) return null;
  const boxShadow = stripeOf(entry);
  return (
    <tr>
      <td colSpan={7} style={boxShadow ? { boxShadow } : undefined} className="whitespace-normal pt-0">
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
          <FailureList ui={ui} failures={told} places={target.places} now={now} />
        </ul>
      </td>
    </tr>
  );
}

/** So many kinds of failure are told of a target here; what probers got wrong from this share on. */
const KINDS = 2;
const TOLD_SHARE = 0.01;

function MoreIncidents({ ui, target: { id, name }, n }: Pick<RankedTarget, 'target'> & { ui: Ui; n: number }) {
  if (n === 0) return null;
  return (
    <span className="whitespace-nowrap text-muted">
      {' · '}
      <Link
        href={`/incidents?target=${id}`}
        prefetch={false}
        className="link"
        aria-label={ui.t('brief.moreOn', { n, name })}
      >
        {ui.t('brief.more', { n })}
      </Link>
    </span>
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
        {lineName(ui, worst.region, worst.carrier)}
      </Link>{' '}
      <span className="tabular-nums">{formatQuantity(ui, worst.value, 'ms')}</span>{' '}
      <ChangeBadge ui={ui} change={worst.change} unit="ms" quiet />
    </>
  );
}
