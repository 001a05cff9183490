import type { StatusPage } from '#contract/status-page.ts';
import type { Ui } from '#i18n/ui.ts';
import { Confirm } from '../ui/confirm.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { ActionForm, type FormAction } from '../ui/form.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

type Props = {
  ui: Ui;
  pages: StatusPage[];
  /** That targets have. */
  tags: readonly string[];
  create: FormAction;
  remove: (form: FormData) => Promise<void>;
};

/** The public status pages, each with a way to end it, and a form for another. */
export function StatusPages({ ui, pages, tags, create, remove }: Props) {
  const { t } = ui;
  return (
    <section className="panel p-4" aria-labelledby="status-pages-title">
      <h2 id="status-pages-title">{t('status.pages')}</h2>
      <p className="text-muted">{t('status.pagesText')}</p>
      {pages.length === 0 ? null : (
        <Table
          label={t('status.existing')}
          className="mt-2"
          rows={pages}
          rowKey={({ id }) => id}
          columns={[
            { key: 'title', head: t('status.title'), cell: ({ title }) => title, rowHead: true },
            { key: 'tag', head: t('status.shows'), cell: ({ tag }) => tag ?? t('status.all') },
            {
              key: 'created',
              head: t('common.created'),
              cell: ({ createdAt }) => <Time ui={ui} at={createdAt} detail="minute" />,
            },
            {
              key: 'actions',
              head: t('common.actions'),
              hiddenHead: true,
              cell: ({ id, title }) => (
                <Confirm
                  ui={ui}
                  id={`end-${id}`}
                  label={t('common.delete')}
                  name={title}
                  text={t('status.deleteConfirm', { title })}
                  action={remove}
                  fields={{ id }}
                />
              ),
              numeric: true,
            },
          ]}
        />
      )}
      <div className="mt-4 border-line border-t pt-4">
        <ActionForm action={create} submit={t('status.create')}>
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField name="title" label={t('status.title')} maxLength={100} required />
            <SelectField
              name="tag"
              label={t('status.shows')}
              value=""
              options={[
                { value: '', label: t('status.all') },
                ...tags.map((tag) => ({ value: tag, label: t('status.tagged', { tag }) })),
              ]}
            />
          </div>
        </ActionForm>
      </div>
    </section>
  );
}
