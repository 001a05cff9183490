import Link from 'next/link';
import { SILENT_MINUTES, silentSince, type Vantage } from '#contract/vantage.ts';
import { carrierFull, carrierName, regionName } from '#i18n/names.ts';
import { formatNumber, formatQuantity } from '#i18n/numbers.ts';
import { formatClock } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, DemoBadge, ImportedBadge } from '../ui/badge.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { MOST_MISSED, MOST_UNCLEAN, missedShare, uncleanShare } from './activity.ts';

/** Says whether the prober of a vantage has gone silent at `now` (ms). */
export const isSilent = ({ lastSeenAt }: Vantage, now: number) =>
  lastSeenAt !== null && Date.parse(lastSeenAt) <= silentSince(now).getTime();

export type VantageTableProps = { ui: Ui; vantages: Vantage[]; now: number; editable: boolean };

/** All vantages, and whether their probers report. */
export function VantageTable({ ui, vantages, now, editable }: VantageTableProps) {
  const { t } = ui;
  const none = t('common.noValue');
  return (
    <Table
      label={t('vantages.title')}
      className="panel"
      rows={vantages}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'name',
          head: t('common.name'),
          cell: ({ name, demo, imported }) => (
            <>
              {name} {demo ? <DemoBadge ui={ui} /> : null}
              {imported ? <ImportedBadge ui={ui} /> : null}
            </>
          ),
          rowHead: true,
          className: 'whitespace-nowrap',
        },
        {
          key: 'location',
          head: t('vantages.location'),
          cell: ({ region, city }) => `${regionName(ui, region)}${city ? ` · ${city}` : ''}`,
          className: 'whitespace-nowrap',
          title: ({ region }) => region,
        },
        {
          key: 'carrier',
          head: t('vantages.carrier'),
          cell: ({ carrier }) => carrierName(ui, carrier),
          title: ({ carrier }) => carrierFull(ui, carrier),
        },
        {
          key: 'asn',
          head: t('vantages.asn'),
          cell: ({ asn }) => (asn === null ? none : `AS${asn}`),
          className: 'tabular-nums',
        },
        {
          key: 'access',
          head: t('vantages.access'),
          cell: ({ access }) => t(`access.${access}`),
          className: 'whitespace-nowrap',
        },
        {
          key: 'state',
          head: t('common.state'),
          cell: (vantage) => <State ui={ui} vantage={vantage} silent={isSilent(vantage, now)} />,
          className: 'whitespace-nowrap',
        },
        ...activityColumns(ui),
        {
          key: 'lastSeen',
          head: t('vantages.lastSeen'),
          cell: ({ lastSeenAt, imported }) => {
            if (lastSeenAt) return <Time ui={ui} at={lastSeenAt} detail="minute" />;
            return imported ? none : t('vantages.never');
          },
        },
        {
          key: 'skew',
          head: <span title={t('vantages.skewDef')}>{t('vantages.skew')}</span>,
          cell: ({ clockSkewMs }) => (clockSkewMs === null ? none : formatQuantity(ui, clockSkewMs, 'ms')),
          numeric: true,
        },
        editable
          ? {
              key: 'actions',
              head: t('common.actions'),
              hiddenHead: true,
              cell: ({ id, name }) => (
                <Link
                  href={`/vantages/${id}/edit`}
                  prefetch={false}
                  className="link"
                  aria-label={`${t('common.edit')} ${name}`}
                >
                  {t('common.edit')}
                </Link>
              ),
            }
          : null,
      ]}
    />
  );
}

/** What a prober missed and spoilt in the last hour, and how much it works on; dashes where it reported nothing. */
function activityColumns(ui: Ui): Column<Vantage>[] {
  const { t, locale } = ui;
  const count = (key: 'missed' | 'unclean', most: number, shareOf: typeof missedShare): Column<Vantage> => ({
    key,
    head: t(`vantages.${key}`),
    definition: t(`vantages.${key}Def`, { limit: formatQuantity(ui, most, 'ratio') }),
    cell: ({ prober }) =>
      prober ? (
        <Count ui={ui} n={prober.lastHour[key]} share={shareOf(prober.lastHour)} limit={most} />
      ) : (
        t('common.noValue')
      ),
    numeric: true,
    title: ({ prober }) =>
      prober ? t('vantages.lastDay', { n: formatNumber(locale, prober.lastDay[key]) }) : undefined,
  });
  return [
    count('missed', MOST_MISSED, missedShare),
    count('unclean', MOST_UNCLEAN, uncleanShare),
    {
      key: 'threads',
      head: t('vantages.threads'),
      definition: t('vantages.threadsDef'),
      cell: ({ prober }) =>
        prober
          ? t('vantages.threadsText', {
              threads: formatNumber(locale, prober.threads),
              checks: formatNumber(locale, prober.checks),
            })
          : t('common.noValue'),
      numeric: true,
    },
  ];
}

/** `share` of the runs; above `limit` it is a warning. */
function Count({ ui, n, share, limit }: { ui: Ui; n: number; share: number | null; limit: number }) {
  const number = formatNumber(ui.locale, n);
  if (n === 0 || share === null) return number;
  const text = ui.t('vantages.ofRuns', { n: number, ratio: formatQuantity(ui, share, 'ratio') });
  return share > limit ? <Badge tone="warn">{text}</Badge> : text;
}

function State({ ui, vantage, silent }: { ui: Ui; vantage: Vantage; silent: boolean }) {
  const { t } = ui;
  if (vantage.imported) return t('vantages.noProber');
  if (vantage.lastSeenAt === null) return <Badge tone="warn">{t('vantages.waiting')}</Badge>;
  if (!silent)
    return (
      <>
        <Badge tone="good">{t('vantages.online')}</Badge> <Busy ui={ui} vantage={vantage} />
      </>
    );
  return (
    <Badge tone="bad" title={t('vantages.silentDef', { minutes: SILENT_MINUTES })}>
      {t('vantages.silent')}
    </Badge>
  );
}

/** When its prober was too busy to be believed, of the last day. */
function Busy({ ui, vantage: { busy } }: { ui: Ui; vantage: Vantage }) {
  if (busy === null) return null;
  const time = (at: string) => formatClock(at, ui.timeZone);
  const { since, until } = busy;
  return (
    <Badge tone={until === null ? 'warn' : 'plain'} title={ui.t('vantages.busyDef')}>
      {until === null
        ? ui.t('vantages.busySince', { from: time(since) })
        : ui.t('vantages.busyFrom', { from: time(since), to: time(until) })}
    </Badge>
  );
}
