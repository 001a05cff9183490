import { SectionTabs } from '#components/shell/section-tabs.tsx';
import type { Ui } from '#i18n/ui.ts';

/** The lists of what changed. */
export function ChangeTabs({ ui: { t }, here }: { ui: Ui; here: '/incidents' | '/regressions' }) {
  return (
    <SectionTabs
      label={t('incidents.views')}
      here={here}
      tabs={[
        { href: '/incidents', label: t('incidents.title') },
        { href: '/regressions', label: t('regressions.title') },
      ]}
    />
  );
}

/** Why one of the two lists is empty: nothing happened, or nothing that the filter lets through. */
export function emptyReason({ t }: Ui, narrowed: boolean, list: 'incidents' | 'regressions') {
  if (narrowed) return { title: t('incidents.emptyFiltered'), text: t('incidents.emptyFilteredText') };
  return { title: t(`${list}.emptyTitle`), text: t(`${list}.emptyText`) };
}
