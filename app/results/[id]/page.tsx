import { notFound } from 'next/navigation';
import { ResultHeader } from '#components/result/result-header.tsx';
import { ResultPanels } from '#components/result/result-panels.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { getRun } from '#server/results/results.ts';
import { readerPage, readerTitle } from '../../access.ts';
import { DemoNotice } from '../../demo-notice.tsx';
import { findResult } from '../../find.ts';
import { requestUi } from '../../request-ui.ts';

type Props = { params: Promise<{ id: string }> };

export const generateMetadata = readerTitle(({ t }) => t('result.title'));

/** One handshake with all its evidence. */
export default readerPage(async function ResultPage({ params }: Props) {
  const { id } = await params;
  const [ui, result] = await Promise.all([requestUi(), findResult(id)]);
  if (!result) notFound();
  const { targetId } = result;
  const up = targetId ? { href: `/targets/${targetId}/results`, label: ui.t('result.back') } : null;
  return (
    <>
      {result.demo ? <DemoNotice /> : null}
      <ResultHeader ui={ui} result={result} up={up} />
      <ResultPanels ui={ui} result={result} run={await getRun(result)} />
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2">
        <ZoneNote ui={ui} />
        <a href={`/api/v1/results/${result.id}`} className="link">
          {ui.t('result.raw')}
        </a>
      </div>
    </>
  );
});
