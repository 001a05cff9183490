import { DemoBadge } from '#components/ui/badge.tsx';
import { Confirm } from '#components/ui/confirm.tsx';
import type { Ui } from '#i18n/ui.ts';

type Props = {
  ui: Ui;
  targets: number;
  vantages: number;
  /** Left out where the reader may not change anything. */
  remove: ((form: FormData) => Promise<void>) | null;
};

/** Says on every page with demo data what it is, and offers to be rid of it. */
export function DemoBanner({ ui, targets, vantages, remove }: Props) {
  const { t } = ui;
  return (
    <aside
      aria-label={t('demo.badge')}
      className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-demo-soft px-4 py-1"
    >
      <DemoBadge ui={ui} />
      <p className="min-w-0 flex-1 basis-64">
        <strong className="font-semibold">{t('demo.title')}</strong> {t('demo.text', { targets, vantages })}
      </p>
      {remove ? (
        <Confirm
          ui={ui}
          id="remove-demo"
          label={t('demo.remove')}
          text={t('demo.confirm')}
          action={remove}
          className="btn ml-auto"
        />
      ) : null}
    </aside>
  );
}
