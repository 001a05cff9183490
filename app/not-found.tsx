import Link from 'next/link';
import { Empty } from '#components/ui/empty.tsx';
import { requestUi } from './request-ui.ts';

export default async function NotFound() {
  const { t } = await requestUi();
  return (
    <Empty title={t('notFound.title')} text={t('notFound.text')} page>
      <Link href="/" prefetch={false} className="btn">
        {t('notFound.back')}
      </Link>
    </Empty>
  );
}
