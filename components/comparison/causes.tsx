import type { ComparisonFigures, SettingFlip } from '#contract/comparison.ts';
import { signed } from '#i18n/comparison.ts';
import { formatNumber } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';
import { levelColumns, Part, shiftColumn } from './figures.tsx';

type Props = { ui: Ui; figures: ComparisonFigures };

const TONES = { explained: 'good', not_explained: 'warn', cant_tell: 'plain', nothing_flipped: 'plain' } as const;

/** What flipped between the windows, what it should have changed, and what was measured. */
export function Attribution({ ui, figures }: Props) {
  const { t } = ui;
  const { verdict, flips, measured } = figures.attribution;
  const milestone = t(`comparison.milestone.${figures.milestone}`);
  return (
    <Part id="attribution" title={t('comparison.attribution')} note={t('comparison.attributionNote', { milestone })}>
      <p className="mb-2 flex flex-wrap items-baseline gap-2">
        <Badge tone={TONES[verdict]}>{t(`comparison.verdicts.${verdict}`)}</Badge>
        {measured === null ? null : <span>{t('comparison.measuredLine', { n: signed(ui, measured, 2) })}</span>}
      </p>
      {figures.mixture ? <p className="mb-2 text-muted">{t('comparison.mixture.only')}</p> : null}
      {flips.length === 0 ? (
        <p className="text-muted">{t('comparison.nothingChanged')}</p>
      ) : (
        <Table
          label={t('comparison.attribution')}
          density="compact"
          rows={flips}
          rowKey={({ setting }) => setting}
          columns={[
            {
              key: 'setting',
              head: t('comparison.settingName'),
              cell: ({ setting }) => t(`comparison.setting.${setting}`),
              rowHead: true,
            },
            {
              key: 'before',
              head: t('comparison.before'),
              cell: ({ before }) => <Value text={before} />,
              className: 'min-w-24 break-words',
            },
            {
              key: 'after',
              head: t('comparison.after'),
              cell: ({ after }) => <Value text={after} />,
              className: 'min-w-24 break-words',
            },
            { key: 'predicted', head: t('comparison.predicted'), cell: (flip) => predictedText(ui, flip) },
          ]}
        />
      )}
    </Part>
  );
}

/** Digests are long: their beginning tells them apart. */
function Value({ text }: { text: string }) {
  return <span title={text}>{text.length > 40 ? `${text.slice(0, 16)}…` : text}</span>;
}

function predictedText(ui: Ui, { predicted, partOf }: SettingFlip): string {
  const { t } = ui;
  if (partOf) return t('comparison.partOf', { setting: t(`comparison.setting.${partOf}`) });
  if (!predicted) return t('comparison.notPredicted');
  const how = predicted.by === 'model' ? t('comparison.byModel') : t('comparison.byTable');
  return t('common.withNote', { label: signed(ui, predicted.roundTrips, 2), note: how });
}

/** What moved besides: the network, other targets, the same target before the change. `named`: whether other targets are named. */
export function Controls({ ui, figures, named }: Props & { named: boolean }) {
  const { t } = ui;
  const { earlier, others } = figures.controls;
  const rows = [
    { key: 'network', name: t('comparison.controlNetwork'), shift: figures.network },
    { key: 'earlier', name: t('comparison.controlEarlier'), shift: earlier },
    ...others.map(({ id, name, shift }, i) => ({
      key: id,
      name: t('comparison.controlOther', { name: named ? name : t('comparison.otherTarget', { n: i + 1 }) }),
      shift,
    })),
  ];
  return (
    <Part id="controls" title={t('comparison.controls')} note={t('comparison.controlsNote')}>
      <Table
        label={t('comparison.controls')}
        density="compact"
        rows={rows}
        rowKey={({ key }) => key}
        columns={[
          {
            key: 'control',
            head: t('comparison.control'),
            cell: ({ name }) => name,
            rowHead: true,
            className: 'whitespace-normal',
          },
          shiftColumn(ui, t('comparison.noEarlier')),
        ]}
      />
    </Part>
  );
}

/** Medians of the phases on either side. */
export function PhasesCompared({ ui, figures }: Props) {
  const { t } = ui;
  const note = t('comparison.phasesNote', { name: t('metric.firstBody') });
  return (
    <Part id="phases" title={t('comparison.phases')} note={note}>
      <Table
        label={t('comparison.phases')}
        density="compact"
        rows={figures.phases}
        rowKey={({ phase }) => phase}
        columns={[
          { key: 'phase', head: t('comparison.phase'), cell: ({ phase }) => t(`metric.${phase}`), rowHead: true },
          ...levelColumns(ui),
        ]}
      />
    </Part>
  );
}

/** What the server negotiated on either side: version, ALPN, group, resumption, staple and so on. */
export function Shares({ ui, figures }: Props) {
  const { t } = ui;
  const percent = (share: number) => `${formatNumber(ui.locale, 100 * share, 1)}%`;
  const rows = figures.shares.flatMap(({ setting, values }) =>
    values.map((value, i) => ({ ...value, setting, first: i === 0 })),
  );
  return (
    <Part id="shares" title={t('comparison.shares')} note={t('comparison.sharesNote')}>
      <Table
        label={t('comparison.shares')}
        density="dense"
        rows={rows}
        rowKey={({ setting, value }) => `${setting} ${value}`}
        columns={[
          {
            key: 'setting',
            head: t('comparison.settingName'),
            cell: ({ setting, first }) => (
              <span className={first ? '' : 'sr-only'}>{t(`comparison.setting.${setting}`)}</span>
            ),
            rowHead: true,
          },
          {
            key: 'value',
            head: t('comparison.value'),
            cell: ({ value }) => <Value text={value} />,
            className: 'min-w-24 break-words',
          },
          { key: 'before', head: t('comparison.before'), cell: ({ before }) => percent(before), numeric: true },
          { key: 'after', head: t('comparison.after'), cell: ({ after }) => percent(after), numeric: true },
        ]}
      />
    </Part>
  );
}
