import { SilenceForm } from '#components/rule/silence-form.tsx';
import { FormPage } from '#components/ui/page.tsx';
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
    <FormPage ui={ui} up={{ href: '/silences', label: t('silences.title') }} title={t('silences.add')}>
      <SilenceForm
        ui={ui}
        targets={targets}
        starts={toLocalField(now, timeZone)}
        ends={toLocalField(now + SUGGESTED_MS, timeZone)}
        action={createSilenceAction}
      />
    </FormPage>
  );
});
