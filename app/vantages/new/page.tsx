import Link from 'next/link';
import { SecretForm } from '#components/ui/secret-form.tsx';
import { VantageFields } from '#components/vantage/vantage-fields.tsx';
import { adminPage, readerTitle } from '../../access.ts';
import { requestUi } from '../../request-ui.ts';
import { addVantageAction } from '../actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('vantages.add'));

const DRAFT = { name: '', country: 'CN', region: '', city: null, carrier: '', asn: null, access: 'idc' } as const;

export default adminPage(async function NewVantagePage() {
  const ui = await requestUi();
  const { t } = ui;
  return (
    <div className="mx-auto max-w-3xl">
      <Link href="/vantages" prefetch={false} className="link text-[0.86rem]">
        {t('vantages.title')}
      </Link>
      <h1 className="mb-3">{t('vantages.add')}</h1>
      <SecretForm
        action={addVantageAction}
        submit={t('vantages.add')}
        texts={{ copy: t('common.copy'), copied: t('common.copied') }}
      >
        <VantageFields ui={ui} draft={DRAFT} />
      </SecretForm>
    </div>
  );
});
