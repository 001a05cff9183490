import Link from 'next/link';
import { SilenceForm } from '#components/rule/silence-form.tsx';
import { toLocalField } from '#i18n/time.ts';
import { adminPage, readerTitle } from '../../access.ts';
import { requestUi } from '../../request-ui.ts';
import { namedTargets } from '../../targets/named.ts';
import { createSilenceAction } from '../actions.ts';

const SUGGESTED_MS = 2 * 3_600_000;

export const generateMetadata = readerTitle(({ t }) => t('silences.add'));

export default adminPage(async function NewSilencePage() {
  const [ui, targets] = await Promise.all([requestUi(), namedTargets()]);
  const { t, timeZone } = ui;
  const now = Date.now();
  return (
    <div className="mx-auto max-w-3xl">
      <Link href="/silences" prefetch={false} className="link text-[0.86rem]">
        {t('silences.title')}
      </Link>
      <h1 className="mb-3">{t('silences.add')}</h1>
      <SilenceForm
        ui={ui}
        targets={targets}
        starts={toLocalField(now, timeZone)}
        ends={toLocalField(now + SUGGESTED_MS, timeZone)}
        action={createSilenceAction}
      />
    </div>
  );
});
