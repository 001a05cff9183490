import type { RetainedClass, Retention } from '#contract/retention.ts';
import { inSentences } from '#i18n/names.ts';
import { formatNumber } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { ActionForm, type FormAction } from '../ui/form.tsx';
import { Table } from '../ui/table.tsx';

type Props = { ui: Ui; retention: Retention; change: FormAction };

/** How long each class of data is kept, what it takes, and how long the disk lasts. */
export function RetentionForm({ ui, retention, change }: Props) {
  const { t } = ui;
  return (
    <ActionForm action={change} submit={t('common.save')}>
      <Table
        label={t('settings.retention')}
        className="mt-2"
        rows={retention.classes}
        rowKey={({ name }) => name}
        columns={[
          {
            key: 'name',
            head: t('settings.data'),
            cell: ({ name }) => <label htmlFor={name}>{t(`settings.retained.${name}`)}</label>,
            rowHead: true,
          },
          { key: 'days', head: t('settings.keptDays'), cell: (each) => <DaysField ui={ui} of={each} /> },
          { key: 'bytes', head: t('settings.sizeNow'), cell: ({ bytes }) => sizeText(ui, bytes), numeric: true },
          {
            key: 'rate',
            head: t('settings.sizePerDay'),
            cell: ({ bytesPerDay }) => sizeText(ui, bytesPerDay),
            numeric: true,
            wideOnly: true,
          },
          {
            key: 'full',
            head: t('settings.sizeWhenFull'),
            definition: t('settings.sizeWhenFullText'),
            cell: ({ bytesWhenFull }) => sizeText(ui, bytesWhenFull),
            numeric: true,
          },
        ]}
      />
      <p className="mt-3">{diskText(ui, retention)}</p>
    </ActionForm>
  );
}

/** A class that the environment fixes shows its days and who fixed them; any other is a field, empty for the default. */
function DaysField({ ui: { t }, of }: { ui: Ui; of: RetainedClass }) {
  const { name, days, defaultDays, setBy } = of;
  if (setBy === 'environment')
    return (
      <>
        {days} <span className="text-muted">{t('settings.fixedByEnvironment')}</span>
      </>
    );
  return (
    <>
      <input
        id={name}
        name={name}
        className="field max-w-28"
        inputMode="numeric"
        autoComplete="off"
        placeholder={String(defaultDays)}
        defaultValue={setBy === 'default' ? '' : days}
        aria-describedby={`${name}-error`}
      />
      <p id={`${name}-error`} className="text-[0.9rem] text-bad" aria-live="polite" />
    </>
  );
}

function diskText(ui: Ui, { databaseBytes, freeBytes, fullInDays, classes }: Retention): string {
  const { t } = ui;
  const database = t('settings.databaseSize', { size: sizeText(ui, databaseBytes) });
  if (freeBytes === null) return inSentences(ui, [database, t('settings.diskElsewhere')]);
  const free = t('settings.diskFree', { size: sizeText(ui, freeBytes) });
  const known = classes.every(({ name, bytesPerDay }) => bytesPerDay !== null || !LARGE.includes(name));
  const lasts = !known
    ? t('settings.diskUnknown')
    : fullInDays === null
      ? t('settings.diskSuffices')
      : t('settings.diskFullIn', { days: fullInDays });
  return inSentences(ui, [database, free, lasts]);
}

/** What takes the room: as long as one of these has no rate, how long the disk lasts is not known. */
const LARGE: RetainedClass['name'][] = ['rawDays', 'minuteDays'];

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Bytes in decimal units, as disks are sold; a dash where they are not known. */
function sizeText({ locale }: Ui, bytes: number | null): string {
  if (bytes === null) return '–';
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${formatNumber(locale, value, value < 10 && power > 0 ? 1 : 0)} ${UNITS[power]}`;
}
