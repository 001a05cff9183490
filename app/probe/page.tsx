import { MeasurementForm } from '#components/measurement/measurement-form.tsx';
import { PastMeasurements } from '#components/measurement/past-measurements.tsx';
import { FormPage } from '#components/ui/page.tsx';
import { listMeasurements } from '#server/measurements/read.ts';
import { adminPage, readerTitle } from '../access.ts';
import { requestUi } from '../request-ui.ts';
import { measureAction } from './actions.ts';

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export const generateMetadata = readerTitle(({ t }) => t('measurement.title'));

/** Measurements in the list. */
const PAST = 20;

/** Probes a URL once from many vantages, and lists what was probed before. */
export default adminPage(async function ProbePage({ searchParams }: Props) {
  const [ui, { url }, past] = await Promise.all([
    requestUi(),
    searchParams,
    listMeasurements({ limit: PAST }, 'reader'),
  ]);
  return (
    <FormPage
      ui={ui}
      title={ui.t('measurement.title')}
      note={<p className="text-muted">{ui.t('measurement.about')}</p>}
    >
      <MeasurementForm ui={ui} url={typeof url === 'string' ? url : ''} action={measureAction} />
      <PastMeasurements ui={ui} past={past.data} />
    </FormPage>
  );
});
