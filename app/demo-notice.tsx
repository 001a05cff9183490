import { DemoBadge } from '#components/ui/badge.tsx';
import { Confirm } from '#components/ui/confirm.tsx';
import { demoState } from '#server/demo/demo.ts';
import { frameReader } from './access.ts';
import { removeDemoAction } from './demo-actions.ts';
import { valueOrTrouble } from './page-trouble.tsx';
import { requestUi } from './request-ui.ts';

/** Says on every page with demo data what it is, and offers the administrator to be rid of it. */
export async function DemoNotice() {
  const [ui, reader, demo] = await Promise.all([requestUi(), frameReader(), valueOrTrouble(demoState(), null)]);
  if (!demo?.present) return null;
  const { t } = ui;
  const { targets, vantages } = demo;
  return (
    <aside
      aria-label={t('demo.badge')}
      className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-demo-soft px-4 py-1"
    >
      <DemoBadge ui={ui} />
      <p className="min-w-0 flex-1 basis-64">
        <strong className="font-semibold">{t('demo.title')}</strong> {t('demo.text', { targets, vantages })}
      </p>
      {reader === 'admin' ? (
        <Confirm
          ui={ui}
          id="remove-demo"
          label={t('demo.remove')}
          text={t('demo.confirm')}
          action={removeDemoAction}
          className="btn ml-auto"
        />
      ) : null}
    </aside>
  );
}
