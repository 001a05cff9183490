import { cookies } from 'next/headers';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { openStep, StepList } from '#components/first-steps/step-list.tsx';
import { readSteps, STEPS, type StepName } from '#components/first-steps/steps.ts';
import { summaryText } from '#components/measurement/answer.ts';
import { FollowMeasurement } from '#components/measurement/follow-measurement.tsx';
import { TextField } from '#components/ui/field.tsx';
import { ActionForm } from '#components/ui/form.tsx';
import type { Measurement } from '#contract/measurement.ts';
import type { Ui } from '#i18n/ui.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { findMeasurement } from './find.ts';
import { watchAction } from './targets/actions.ts';

type Installation = { ui: Ui; targets: readonly { name: string }[]; probe: string };

/**
 * The steps of a new installation, for the administrator; null once all are done, or skipped by this browser. `probe`: id of the
 * measurement that the first step made, which is shown though nothing else is left to do.
 */
export async function firstSteps({ ui, targets, probe }: Installation): Promise<ReactNode> {
  const skipped = readSteps((await cookies()).get('skipped')?.value);
  if (skipped.length === STEPS.length && probe === '') return null;
  const [labels, measurement] = await Promise.all([vantageLabels(), findMeasurement(probe)]);
  const vantages = [...labels.values()].filter(({ demo, deleted }) => !demo && !deleted);
  const reporting = vantages.filter(({ proberId }) => proberId !== null);
  const [target] = targets;
  const done: Partial<Record<StepName, ReactNode>> = {
    ...(target
      ? { watch: <Watched ui={ui} name={target.name} measurement={measurement} canProbe={reporting.length > 0} /> }
      : {}),
  };
  const open = openStep(done, skipped);
  if (open === null && measurement === null) return null;
  const forms: Record<StepName, ReactNode> = { watch: <WatchForm ui={ui} />, place: null, alerts: null };
  return <StepList ui={ui} done={done} skipped={skipped} form={open && forms[open]} />;
}

function WatchForm({ ui: { t } }: { ui: Ui }) {
  return (
    <ActionForm action={watchAction} submit={t('firstSteps.watchSubmit')}>
      <TextField
        name="url"
        label={t('targetForm.url')}
        inputMode="url"
        placeholder="example.org"
        required
        verbatim
        defaultValue=""
      />
    </ActionForm>
  );
}

type WatchedProps = { ui: Ui; name: string; measurement: Measurement | null; canProbe: boolean };

/** What is watched, and its first answer as it comes. */
function Watched({ ui, name, measurement, canProbe }: WatchedProps) {
  const { t } = ui;
  if (!measurement) return t(canProbe ? 'firstSteps.watched' : 'firstSteps.watchedNowhere', { name });
  return (
    <>
      {[name, summaryText(ui, measurement)].join(t('punctuation.colon'))}{' '}
      <Link href={`/probe/${measurement.id}`} prefetch={false} className="link inline-block min-h-[24px]">
        {t('measurement.answersOf')}
      </Link>
      {measurement.finished ? null : <FollowMeasurement id={measurement.id} />}
    </>
  );
}
