import Link from 'next/link';
import type { Vantage } from '#contract/vantage.ts';
import { carrierFull, carrierName, regionName } from '#i18n/names.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, DemoBadge } from '../ui/badge.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Time } from '../ui/time.tsx';
import { ActivityCells, ActivityHeads } from './activity-cells.tsx';

/** A prober that has not been heard of for so long is silent. */
const SILENT_MINUTES = 5;

/** Says whether the prober of a vantage has gone silent at `now` (ms). One that never came is awaited, not silent. */
export const isSilent = ({ lastSeenAt }: Vantage, now: number) =>
  lastSeenAt !== null && now - Date.parse(lastSeenAt) >= SILENT_MINUTES * 60_000;

export type VantageTableProps = { ui: Ui; vantages: Vantage[]; now: number; editable: boolean };

/** All vantages, and whether their probers report. */
export function VantageTable({ ui, vantages, now, editable }: VantageTableProps) {
  const { t } = ui;
  return (
    <ScrollBox label={t('vantages.title')} className="panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('common.name')}</th>
            <th scope="col">{t('vantages.place')}</th>
            <th scope="col">{t('vantages.carrier')}</th>
            <th scope="col">{t('vantages.asn')}</th>
            <th scope="col">{t('vantages.access')}</th>
            <th scope="col">{t('common.state')}</th>
            <ActivityHeads ui={ui} />
            <th scope="col">{t('vantages.lastSeen')}</th>
            <th scope="col" className="num" title={t('vantages.skewDef')}>
              {t('vantages.skew')}
            </th>
            {editable ? (
              <th scope="col">
                <span className="sr-only">{t('common.actions')}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {vantages.map((vantage) => (
            <Row key={vantage.id} ui={ui} vantage={vantage} silent={isSilent(vantage, now)} editable={editable} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Row({ ui, vantage, silent, editable }: { ui: Ui; vantage: Vantage; silent: boolean; editable: boolean }) {
  const { t } = ui;
  return (
    <tr>
      <th scope="row" className="whitespace-nowrap">
        {vantage.name} {vantage.demo ? <DemoBadge ui={ui} /> : null}
      </th>
      <td className="whitespace-nowrap" title={vantage.region}>
        {regionName(ui, vantage.region)}
        {vantage.city ? ` · ${vantage.city}` : ''}
      </td>
      <td title={carrierFull(ui, vantage.carrier)}>{carrierName(ui, vantage.carrier)}</td>
      <td className="tabular-nums">{vantage.asn === null ? t('common.noValue') : `AS${vantage.asn}`}</td>
      <td className="whitespace-nowrap">{t(`access.${vantage.access}`)}</td>
      <td>
        <State ui={ui} vantage={vantage} silent={silent} />
      </td>
      <ActivityCells ui={ui} prober={vantage.prober} />
      <td>{vantage.lastSeenAt ? <Time ui={ui} at={vantage.lastSeenAt} detail="minute" /> : t('vantages.never')}</td>
      <td className="num">
        {vantage.clockSkewMs === null ? t('common.noValue') : formatQuantity(ui, vantage.clockSkewMs, 'ms')}
      </td>
      {editable ? (
        <td>
          <Link
            href={`/vantages/${vantage.id}/edit`}
            prefetch={false}
            className="link"
            aria-label={`${t('common.edit')} ${vantage.name}`}
          >
            {t('common.edit')}
          </Link>
        </td>
      ) : null}
    </tr>
  );
}

function State({ ui, vantage, silent }: { ui: Ui; vantage: Vantage; silent: boolean }) {
  const { t } = ui;
  if (vantage.lastSeenAt === null) return <Badge tone="warn">{t('vantages.waiting')}</Badge>;
  if (!silent) return <Badge tone="good">{t('vantages.online')}</Badge>;
  return (
    <Badge tone="bad" title={t('vantages.silentDef', { minutes: SILENT_MINUTES })}>
      {t('vantages.silent')}
    </Badge>
  );
}
