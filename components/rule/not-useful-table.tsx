import Link from 'next/link';
import type { Incident } from '#contract/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import { actorName } from '../incident/actor.ts';
import { described } from '../incident/incident-text.ts';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { ruleName } from './rule-name.ts';

type Props = {
  ui: Ui;
  incidents: Incident[];
  undo: ((form: FormData) => Promise<void>) | null;
  /** Milliseconds since 1970. */
  now: number;
};

/** What persons called not useful, until when that holds, and a button that takes it back; nothing where nothing is. */
export function NotUsefulTable({ ui, incidents, undo, now }: Props) {
  const { t } = ui;
  if (incidents.length === 0) return null;
  return (
    <section className="mt-6">
      <h2>{t('rules.notUseful.title')}</h2>
      <p className="mb-2 text-muted">{t('rules.notUseful.text')}</p>
      <Table
        label={t('rules.notUseful.title')}
        className="panel"
        rows={incidents}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'what',
            head: t('incidents.incident'),
            cell: (incident) => (
              <>
                <Link href={`/incidents/${incident.id}`} prefetch={false} className="link">
                  {described(ui, incident, now).headline}
                </Link>
                <span className="block font-normal text-[0.86rem] text-muted">
                  {incident.ruleName === null ? null : ruleName(ui, { id: incident.ruleId, name: incident.ruleName })}
                </span>
              </>
            ),
            rowHead: true,
            className: 'min-w-40 whitespace-normal',
          },
          {
            key: 'by',
            head: t('rules.notUseful.by'),
            cell: ({ notUseful }) => (notUseful ? actorName(ui, notUseful.by) : t('common.noValue')),
          },
          {
            key: 'until',
            head: t('rules.notUseful.until'),
            cell: ({ notUseful }) => (notUseful ? <Time ui={ui} at={notUseful.until} detail="minute" /> : null),
            className: 'whitespace-nowrap',
          },
          undo && {
            key: 'actions',
            head: t('common.actions'),
            hiddenHead: true,
            cell: (incident) => (
              <form action={undo}>
                <input type="hidden" name="id" value={incident.id} />
                <button
                  type="submit"
                  className="link"
                  aria-label={`${t('incident.actions.undo')} ${described(ui, incident, now).headline}`}
                >
                  {t('incident.actions.undo')}
                </button>
              </form>
            ),
          },
        ]}
      />
    </section>
  );
}
