import { LocationGroups } from '#components/filters/filter-fields.tsx';
import { PastMeasurements } from '#components/measurement/past-measurements.tsx';
import { FieldGroup } from '#components/target/field-group.tsx';
import { TextField } from '#components/ui/field.tsx';
import { ActionForm } from '#components/ui/form.tsx';
import { FormPage } from '#components/ui/page.tsx';
import type { Ui } from '#i18n/ui.ts';
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
  const [ui, { url, regions, carriers }, past] = await Promise.all([
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
      <MeasurementForm
        ui={ui}
        url={typeof url === 'string' ? url : ''}
        chosen={{ regions: listOf(regions), carriers: listOf(carriers) }}
      />
      <PastMeasurements ui={ui} past={past.data} />
    </FormPage>
  );
});

/** Names of an address, by commas; what is no name is left out. */
const listOf = (value: string | string[] | undefined) =>
  [value ?? []].flat().flatMap((each) => each.split(',').filter((name) => /^[\w-]{1,40}$/.test(name)));

type FormProps = { ui: Ui; url: string; chosen: Record<'regions' | 'carriers', string[]> };

/** The form of a measurement: a URL, and where it is probed from. */
function MeasurementForm({ ui, url, chosen }: FormProps) {
  const { t } = ui;
  return (
    <ActionForm action={measureAction} submit={t('measurement.start')}>
      <div className="grid gap-3">
        <div className="panel grid gap-3 p-4">
          <TextField
            name="url"
            label={t('targetForm.url')}
            help={t('targetForm.urlHelp')}
            inputMode="url"
            placeholder="https://example.org/"
            required
            verbatim
            defaultValue={url}
          />
        </div>
        <FieldGroup
          ui={ui}
          title={t('targetForm.where')}
          help={t('targetForm.whereHelp')}
          changed={chosen.regions.length + chosen.carriers.length}
        >
          <LocationGroups
            ui={ui}
            chosen={chosen}
            texts={{ regions: t('targetForm.regions'), carriers: t('targetForm.carriers') }}
          />
        </FieldGroup>
      </div>
    </ActionForm>
  );
}
