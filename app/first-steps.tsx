import { cookies } from 'next/headers';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { openStep, StepList } from '#components/first-steps/step-list.tsx';
import { readSteps, STEPS, type StepName } from '#components/first-steps/steps.ts';
import { summaryText } from '#components/measurement/answer.ts';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { ActionForm } from '#components/ui/form.tsx';
import { LiveRefresh } from '#components/ui/live-refresh.tsx';
import { optionsOf } from '#components/ui/options.ts';
import { PlaceFields } from '#components/vantage/vantage-fields.tsx';
import type { Measurement } from '#contract/measurement.ts';
import { MAX_LIMIT } from '#contract/query.ts';
import type { Ui } from '#i18n/ui.ts';
import { type VantageLabels, vantageLabels } from '#server/vantages/labels.ts';
import { sampleText } from '#server/webhooks/preview.ts';
import { listWebhooks } from '#server/webhooks/webhooks.ts';
import { findMeasurement } from './find.ts';
import { watchAction } from './targets/actions.ts';
import { addVantageAction } from './vantages/actions.ts';
import { createWebhookAction } from './webhooks/actions.ts';
import { FIRST_STEP, TEST_BUTTON } from './webhooks/draft.ts';

/** The country of a vantage without a given location, as of this machine's where no variable does. */
const UNPLACED = 'ZZ';
/** How often (s) the page looks whether an awaited prober is there. */
const AWAIT_SECONDS = 2;

type Installation = { ui: Ui; targets: readonly { name: string }[]; probe: string };

/**
 * The steps of a new installation, for the administrator; null once all are done, or skipped by this browser. `probe`: id of the
 * measurement that the first step made, which is shown though nothing else is left to do.
 */
export async function firstSteps({ ui, targets, probe }: Installation): Promise<ReactNode> {
  const { t } = ui;
  const skipped = readSteps((await cookies()).get('skipped')?.value);
  if (skipped.length === STEPS.length && probe === '') return null;
  const [labels, measurement, webhooks] = await Promise.all([
    vantageLabels(),
    findMeasurement(probe),
    listWebhooks({ limit: MAX_LIMIT }),
  ]);
  const webhook = webhooks.data.find(({ demo }) => !demo);
  const vantages = [...labels.values()].filter(({ demo, deleted, imported }) => !demo && !deleted && !imported);
  const reporting = vantages.filter(({ proberId }) => proberId !== null);
  const [target] = targets;
  const placed = reporting.find(({ country }) => country !== UNPLACED);
  const done: Partial<Record<StepName, ReactNode>> = {
    ...(target
      ? { watch: <Watched ui={ui} name={target.name} measurement={measurement} canProbe={reporting.length > 0} /> }
      : {}),
    ...(webhook ? { alerts: t('firstSteps.alerted', { name: webhook.name }) } : {}),
    ...(placed ? { place: t('firstSteps.arrived', { name: placed.name }) } : {}),
  };
  const open = openStep(done, skipped);
  if (open === null && measurement === null) return null;
  const forms: Record<StepName, ReactNode> = {
    watch: <WatchForm ui={ui} />,
    place: <PlaceForm ui={ui} awaited={vantages.filter(({ proberId }) => proberId === null)} />,
    alerts: <AlertsForm ui={ui} />,
  };
  return <StepList ui={ui} done={done} skipped={skipped} form={open && forms[open]} />;
}

function WatchForm({ ui: { t } }: { ui: Ui }) {
  return (
    <ActionForm action={watchAction} submit={t('firstSteps.watchSubmit')}>
      <TextField
        name="url"
        label={t('targetForm.url')}
        inputMode="url"
        placeholder="https://example.org/"
        required
        verbatim
        defaultValue=""
      />
    </ActionForm>
  );
}

/** A vantage's form, the command that starts its prober, and which probers have not come yet. */
function PlaceForm({ ui, awaited }: { ui: Ui; awaited: VantageLabels[] }) {
  const { t } = ui;
  return (
    <>
      <ActionForm action={addVantageAction} submit={t('firstSteps.placeSubmit')}>
        <div className="grid gap-3 sm:grid-cols-2">
          <PlaceFields ui={ui} draft={{ name: '', country: 'CN', region: '', carrier: '' }} />
        </div>
        <input type="hidden" name="access" value="idc" />
      </ActionForm>
      <div role="status">
        {awaited.map(({ id, name }) => (
          <p key={id}>{t('firstSteps.awaited', { name })}</p>
        ))}
      </div>
      {awaited.length > 0 ? <LiveRefresh seconds={AWAIT_SECONDS} /> : null}
    </>
  );
}

/** The receivers that people read: each takes a URL, and answers at once. */
const CHATS = ['feishu', 'dingtalk', 'wecom', 'slack'] as const;

/** What people will see, and where it goes. */
function AlertsForm({ ui }: { ui: Ui }) {
  const { t } = ui;
  const { title, lines } = sampleText(ui.locale);
  return (
    <>
      <figure aria-label={t('webhooks.preview')} className="rounded-md border-warn border-l-4 bg-raised px-3 py-2">
        <p className="font-semibold">{title}</p>
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </figure>
      <ActionForm
        action={createWebhookAction}
        submit={t('common.save')}
        others={[{ name: TEST_BUTTON, label: t('webhooks.test') }]}
      >
        <div className="grid gap-3 sm:grid-cols-[1fr_2fr]">
          <SelectField
            name="format"
            label={t('webhooks.formatTitle')}
            value={CHATS[0]}
            options={optionsOf(CHATS, (format) => t(`webhooks.format.${format}`))}
          />
          <TextField name="url" label={t('webhooks.url')} inputMode="url" required verbatim defaultValue="" />
        </div>
        {[
          ['language', ui.locale],
          ['enabled', 'on'],
          [FIRST_STEP, 'on'],
        ].map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
      </ActionForm>
      <Link href="/webhooks/new" prefetch={false} className="link inline-block min-h-[24px]">
        {t('firstSteps.alertsOther')}
      </Link>
    </>
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
      {measurement.finished ? null : <LiveRefresh follow={{ measurement: measurement.id }} />}
    </>
  );
}
