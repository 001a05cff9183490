import type { AdviceClient, Savings } from '#contract/advice.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { Table } from '../ui/table.tsx';
import { MILESTONES } from './advice-card.tsx';

/** A change to the server, in words, and what it saves. */
export type ChangeRow = { label: string; together: boolean; gains: Record<AdviceClient, Savings> };

/** What changes would save by the model, the largest first. */
export function ChangeTable({ ui, rows, client }: { ui: Ui; rows: readonly ChangeRow[]; client: AdviceClient }) {
  const { t } = ui;
  if (rows.length === 0) return null;
  const time = (ms: number) => (Math.abs(ms) < 0.5 ? '0' : formatQuantity(ui, ms, 'ms'));
  return (
    <section className="panel mb-4 p-4">
      <h2>{t('advice.changes')}</h2>
      <p className="mt-1 text-muted">{t('advice.changesText', { client: t(`advice.client.${client}`) })}</p>
      <Table
        label={t('advice.changes')}
        density="compact"
        className="mt-2"
        rows={rows}
        rowKey={({ label }) => label}
        columns={[
          {
            key: 'change',
            head: t('advice.change'),
            cell: ({ label, together }) => (together ? <strong>{label}</strong> : label),
            rowHead: true,
          },
          ...MILESTONES.map((milestone) => ({
            key: milestone,
            head: t(`advice.milestone.${milestone}`),
            cell: ({ gains }: ChangeRow) => time(gains[client][milestone]),
            numeric: true,
          })),
        ]}
      />
    </section>
  );
}
