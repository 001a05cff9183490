import { ActionForm } from '#components/ui/form.tsx';
import { FormPage } from '#components/ui/page.tsx';
import { VantageFields } from '#components/vantage/vantage-fields.tsx';
import { adminPage, readerTitle } from '../../access.ts';
import { requestUi } from '../../request-ui.ts';
import { addVantageAction } from '../actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('vantages.add'));

const DRAFT = {
  ...({ name: '', country: 'CN', region: '', city: null, carrier: '', asn: null, access: 'idc' } as const),
  mayHoldSecrets: false,
};

export default adminPage(async function NewVantagePage() {
  const ui = await requestUi();
  const { t } = ui;
  return (
    <FormPage ui={ui} up={{ href: '/vantages', label: t('vantages.title') }} title={t('vantages.add')}>
      <ActionForm action={addVantageAction} submit={t('vantages.add')}>
        <VantageFields ui={ui} draft={DRAFT} />
      </ActionForm>
    </FormPage>
  );
});
