import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { ComparisonView } from '#components/comparison/comparison-view.tsx';
import { PageHead } from '#components/ui/page.tsx';
import { PrintButton } from '#components/ui/print-button.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { openShared } from '#server/comparisons/share.ts';
import { openPage } from '../../access.ts';
import { valueOrTrouble } from '../../page-trouble.tsx';
import { requestUi } from '../../request-ui.ts';

type Props = { params: Promise<{ token: string }> };

const sharedOf = cache(openShared);

/** No robot is to list it, and where a reader goes from here is not told its address. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const shared = sharedOf((await params).token);
  const [{ t }, comparison] = await Promise.all([requestUi(), valueOrTrouble(shared, null)]);
  return {
    title: comparison ? t('comparison.of', { title: comparison.title }) : t('notFound.title'),
    robots: { index: false, follow: false },
    referrer: 'no-referrer',
  };
}

/** A comparison for whoever has its link, and nothing beside it: no link leads on, and other targets are not named. */
export default openPage(async function SharedPage({ params }: Props) {
  const [ui, comparison] = await Promise.all([requestUi(), sharedOf((await params).token)]);
  if (!comparison) notFound();
  const { t } = ui;
  return (
    <>
      <PageHead
        ui={ui}
        title={t('comparison.of', { title: comparison.title })}
        note={
          <p className="text-muted">
            {comparison.targetName} · {t('comparison.sharedNote')}
          </p>
        }
        actions={<PrintButton label={t('comparison.print')} />}
      />
      <ComparisonView ui={ui} comparison={comparison} named={false} />
      <ZoneNote ui={ui} />
    </>
  );
});
