import Link from 'next/link';
import type { Ui } from '#i18n/ui.ts';
import { Empty } from '../ui/empty.tsx';

const EXAMPLE = 'npm start -- https://example.org';

/** What the overview shows before there is anything to watch: the two ways to change that. */
export function NoTargets({ ui, editable }: { ui: Ui; editable: boolean }) {
  return (
    <Empty title={ui.t('targets.emptyTitle')} text={ui.t('targets.emptyText')}>
      <code className="rounded-md bg-raised px-3 py-1.5 font-mono">{EXAMPLE}</code>
      {editable ? (
        <Link href="/targets/new" prefetch={false} className="btn btn-primary">
          {ui.t('targets.add')}
        </Link>
      ) : null}
    </Empty>
  );
}
