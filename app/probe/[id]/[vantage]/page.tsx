import { notFound } from 'next/navigation';
import { ResultHeader } from '#components/result/result-header.tsx';
import { ResultPanels } from '#components/result/result-panels.tsx';
import { ZoneNote } from '#components/ui/zone-note.tsx';
import { readerPage, readerTitle } from '../../../access.ts';
import { DemoNotice } from '../../../demo-notice.tsx';
import { findMeasurement } from '../../../find.ts';
import { requestUi } from '../../../request-ui.ts';

type Props = { params: Promise<{ id: string; vantage: string }> };

export const generateMetadata = readerTitle(({ t }) => t('result.title'));

/** The handshake of one place of a measurement, with all its evidence. */
export default readerPage(async function AnswerPage({ params }: Props) {
  const { id, vantage } = await params;
  const [ui, measurement] = await Promise.all([requestUi(), findMeasurement(id)]);
  const result = measurement?.vantages.find((each) => each.vantage.id === vantage)?.result;
  if (!result) notFound();
  return (
    <>
      {result.demo ? <DemoNotice /> : null}
      <ResultHeader ui={ui} result={result} up={{ href: `/probe/${id}`, label: ui.t('measurement.answers') }} />
      <ResultPanels ui={ui} result={result} run={[result]} />
      <div className="mt-3">
        <ZoneNote ui={ui} />
      </div>
    </>
  );
});
