import { SectionTabs } from '#components/shell/section-tabs.tsx';
import type { Ui } from '#i18n/ui.ts';

/** What makes up alerting: rules raise, silences hold back, webhooks tell. */
export function AlertingTabs({ ui: { t }, here }: { ui: Ui; here: '/rules' | '/silences' | '/webhooks' }) {
  return (
    <SectionTabs
      label={t('alerting.views')}
      here={here}
      tabs={[
        { href: '/rules', label: t('rules.title') },
        { href: '/silences', label: t('silences.title') },
        { href: '/webhooks', label: t('webhooks.title') },
      ]}
    />
  );
}
