import { TargetForm } from '#components/target/target-form.tsx';
import { FormPage } from '#components/ui/page.tsx';
import { ProbeSettings, VantageSelector } from '#contract/target.ts';
import { adminPage, readerTitle } from '../../access.ts';
import { requestUi } from '../../request-ui.ts';
import { createTargetAction, probeFirstAction } from '../actions.ts';

export const generateMetadata = readerTitle(({ t }) => t('targetForm.new'));

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default adminPage(async function NewTargetPage({ searchParams }: Props) {
  const [ui, { url }] = await Promise.all([requestUi(), searchParams]);
  const draft = {
    name: '',
    url: typeof url === 'string' ? url : '',
    periodSeconds: 60,
    enabled: true,
    vantages: VantageSelector.parse({}),
    settings: ProbeSettings.parse({}),
    tags: [],
  };
  return (
    <FormPage ui={ui} up={{ href: '/', label: ui.t('nav.overview') }} title={ui.t('targetForm.new')}>
      <TargetForm
        ui={ui}
        draft={draft}
        action={createTargetAction}
        submit={ui.t('targets.add')}
        probe={probeFirstAction}
      />
    </FormPage>
  );
});
