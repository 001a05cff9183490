import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Waste } from '#contract/advice.ts';
import { changeFromUsual } from '#contract/target-summary.ts';
import { wasteText, wholeMs } from '#i18n/advice.ts';
import { reasonText } from '#i18n/incident.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { sinceText } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { DemoBadge, ManagedBadge } from '../ui/badge.tsx';
import { ChangeBadge, ChangeText } from '../ui/change.tsx';
import { Sparkline, type SparkMark } from '../ui/sparkline.tsx';
import { type Column, type Stripe, Table } from '../ui/table.tsx';
import { type Board, type BoardSort, boardHref, orderOf } from './board.ts';
import { demoNote } from './demo-note.ts';
import { failuresOfTarget, type RankedTarget, type Trouble, troubledSince } from './rank.ts';
import { TargetState } from './target-state.tsx';

type Props = {
  ui: Ui;
  board: Board;
  targets: RankedTarget[];
  /** What happened to targets lately, by their ids. */
  marks: ReadonlyMap<string, SparkMark[]>;
  /** What of a visit is waste, by the targets' ids. */
  wastes: ReadonlyMap<string, Waste>;
  /** Milliseconds. */
  now: number;
};

/** All targets, a line each: state, time against usual, yesterday and last week, availability, waste, the last day and two weeks. */
export function TargetList({ ui, board, targets, marks, wastes, now }: Props) {
  const { t } = ui;
  const sorted = (key: BoardSort) => ({ href: boardHref(board, { sort: key }), order: orderOf(board, key) });
  return (
    <Table
      label={t('targets.title')}
      className="panel"
      density="rows"
      rows={targets}
      rowKey={({ target }) => target.id}
      stripe={stripeOf}
      columns={[
        {
          key: 'state',
          head: t('common.state'),
          definition: t('board.stateDef'),
          sort: sorted('state'),
          cell: (entry) => <TargetState ui={ui} entry={entry} now={now} />,
          wideOnly: true,
          className: 'whitespace-nowrap',
        },
        {
          key: 'name',
          head: t('common.name'),
          sort: sorted('name'),
          cell: (entry) => (
            <>
              <Name ui={ui} entry={entry} />
              <span className="block whitespace-nowrap pb-1 sm:hidden">
                <TargetState ui={ui} entry={entry} now={now} />
              </span>
            </>
          ),
          rowHead: true,
          className: 'w-full max-w-0 font-normal max-sm:whitespace-normal sm:min-w-72',
        },
        ...timeColumns(ui, sorted),
        {
          key: 'availability',
          head: t('stat.availability'),
          definition: t('statDef.availability'),
          sort: sorted('availability'),
          cell: ({ target, trouble }) => (
            <span className={trouble.includes('failing') ? 'font-semibold text-bad' : ''}>
              {formatQuantity(ui, target.availability, 'ratio')}
            </span>
          ),
          numeric: true,
          wideOnly: true,
          title: ({ target }) => t('common.n', { n: formatNumber(ui.locale, target.n) }),
        },
        {
          key: 'waste',
          head: t('board.waste'),
          definition: t('board.wasteDef'),
          sort: sorted('waste'),
          cell: ({ target: { id } }) => <Wasted ui={ui} id={id} waste={wastes.get(id)} />,
          numeric: true,
          wideOnly: true,
        },
        {
          key: 'day',
          head: t('board.day'),
          cell: ({ target: { id, sparkline } }) => (
            <Sparkline
              ui={ui}
              points={sparkline}
              marks={marks.get(id) ?? []}
              said={(values) => t('targets.sparkline', values)}
            />
          ),
          wideOnly: true,
        },
        {
          key: 'days',
          head: t('board.days'),
          cell: ({ target: { days } }) => (
            <Sparkline ui={ui} points={days} said={(values) => t('board.daysSaid', values)} />
          ),
          wideOnly: true,
        },
        {
          key: 'since',
          head: t('incidents.since'),
          definition: t('board.sinceDef'),
          sort: sorted('since'),
          cell: (entry) => {
            const since = troubledSince(entry);
            return since === null ? null : <time dateTime={since}>{sinceText(ui, since, now)}</time>;
          },
          numeric: true,
          wideOnly: true,
        },
      ]}
    />
  );
}

/** The TLS times; of a target whose every probe fails, the reason in their place. */
function timeColumns(ui: Ui, sorted: (key: BoardSort) => Column<RankedTarget>['sort']): Column<RankedTarget>[] {
  const { t } = ui;
  const change = (against: 'day' | 'week', of: (target: RankedTarget['target']) => number | null) => ({
    key: against,
    head: t(`board.${against === 'day' ? 'yesterday' : 'week'}`),
    definition: t(`board.${against === 'day' ? 'yesterdayDef' : 'weekDef'}`),
    sort: sorted(against === 'day' ? 'yesterday' : 'week'),
    cell: ({ target }: RankedTarget) => {
      const value = of(target);
      return value === null ? t('common.noValue') : <ChangeText ui={ui} change={value} against={against} />;
    },
    numeric: true,
    wideOnly: true,
    className: 'text-muted',
    span: hidden,
  });
  return [
    {
      key: 'p50',
      head: t('board.p50'),
      definition: `${t('metricDef.tls')} ${t('statDef.p50')}`,
      sort: sorted('p50'),
      cell: (entry) => {
        const reason = reasonInstead(entry);
        return reason ? reasonText(ui, reason) : formatQuantity(ui, entry.target.p50, 'ms');
      },
      numeric: true,
      span: (entry) => (reasonInstead(entry) ? 4 : 1),
      className: (entry) => (reasonInstead(entry) ? 'text-left text-bad max-sm:whitespace-normal' : 'font-semibold'),
    },
    {
      key: 'usual',
      head: t('usual.label'),
      definition: t('usual.def'),
      sort: sorted('usual'),
      cell: ({ target }) => <ChangeBadge ui={ui} change={changeFromUsual(target)} unit="ms" against="usual" />,
      numeric: true,
      span: hidden,
    },
    change('day', ({ changeVsYesterday }) => changeVsYesterday),
    change('week', ({ changeVsLastWeek }) => changeVsLastWeek),
  ];
}

/** Why a target without a TLS time fails; none where it has one, or where only probers are at fault. */
const reasonInstead = ({ target }: RankedTarget) => (target.p50 === null ? failuresOfTarget(target)[0] : undefined);
const hidden = (entry: RankedTarget) => (reasonInstead(entry) ? 0 : 1);

const STRIPES: Record<Trouble, Stripe> = {
  failing: 'bad',
  stale: 'bad',
  slower: 'warn',
  slow: 'warn',
};

function stripeOf({ incidents: [worst], look, trouble: [first] }: RankedTarget): Stripe | null {
  if (look) return 'bad';
  return first ? STRIPES[first] : worst ? 'warn' : null;
}

/** What lacks room takes it from the note. On a phone a long name goes on in the next line. */
function Name({ ui, entry: { target } }: { ui: Ui; entry: RankedTarget }) {
  const about = demoNote(ui, target) ?? target.url;
  return (
    <span className="flex items-center gap-2" title={about}>
      <Link
        href={`/targets/${target.id}`}
        prefetch={false}
        className="min-w-0 break-words font-semibold hover:underline max-sm:min-h-[24px] max-sm:min-w-[24px] sm:truncate"
      >
        {target.name}
      </Link>
      {target.demo || target.managed ? (
        <span className="shrink-0 max-sm:hidden">{target.demo ? <DemoBadge ui={ui} /> : <ManagedBadge ui={ui} />}</span>
      ) : null}
      <span className="min-w-0 flex-1 truncate text-[0.86rem] text-muted max-sm:hidden">{about}</span>
    </span>
  );
}

/** How many round trips of how many need not be, and what these cost. */
function Wasted({ ui, id, waste }: { ui: Ui; id: string; waste: Waste | undefined }): ReactNode {
  if (!waste) return <span className="text-muted">{ui.t('common.noValue')}</span>;
  const { wasted, roundTrips, medianMs } = waste;
  return (
    <Link href={`/targets/${id}/advice`} prefetch={false} className="link" title={wasteText(ui, waste)}>
      {ui.t('board.wasted', { wasted, roundTrips, time: wholeMs(ui, medianMs) })}
    </Link>
  );
}
