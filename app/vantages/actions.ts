'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import type { Enrolment } from '#contract/vantage.ts';
import { EnrolmentCreate, EnrolmentRenew, VantagePatch } from '#contract/vantage.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { isThisMachine } from '#server/access/client-address.ts';
import { createEnrolment, renewEnrolment } from '#server/vantages/enrolments.ts';
import { deleteVantage, updateVantage } from '#server/vantages/vantages.ts';
import { adminAction, requestOrigin } from '../access.ts';
import { attempted, shownOnce, submitted } from '../form-state.ts';
import { formText } from '../form-text.ts';
import { requestUi } from '../request-ui.ts';

/** Makes a vantage and answers with the commands that start its prober; the token in them is shown this once. */
export const addVantageAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  return submitted(ui, form, { schema: EnrolmentCreate, input: labelsInput(form) }, async (labels) => {
    const enrolment = await createEnrolment(labels);
    revalidatePath('/vantages');
    return commands(ui, enrolment, await requestOrigin());
  });
});

/** A new token for a vantage that is there; bound to its id by the page. */
export const renewEnrolmentAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    return attempted(ui, form, async () =>
      commands(ui, await renewEnrolment(id, EnrolmentRenew.parse({})), await requestOrigin()),
    );
  },
);

/** The image `prober` of the Dockerfile, run as docs/operations.md says. */
const DOCKER_RUN =
  'docker run --detach --name roundtrip-prober --restart unless-stopped --init --read-only --tmpfs /tmp --cap-drop ALL ' +
  '--volume roundtrip-prober:/data roundtrip-prober:0.1.0';

function commands(ui: Ui, { token, expiresAt, vantage }: Enrolment, server: string) {
  const { t, timeZone } = ui;
  const { protocol, hostname } = new URL(server);
  // Without TLS a prober takes a server of another machine only where it is told to.
  const insecure = protocol === 'http:' && !isThisMachine(hostname) ? ' --insecure-server' : '';
  const options = `--server ${server} --token ${token}${insecure}`;
  return shownOnce(ui, {
    title: t('vantages.enrolTitle', { name: vantage.name }),
    text: t('vantages.enrolText', { expires: `${formatTime(expiresAt, timeZone, 'minute')} ${timeZone}` }),
    commands: [
      { label: t('vantages.enrolCommand'), command: `npx roundtrip prober ${options}` },
      {
        label: t('vantages.enrolDocker'),
        command: `${DOCKER_RUN} ${options}`,
      },
    ],
  });
}

/** Changes the labels of a vantage; bound to its id by the page. */
export const updateVantageAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> =>
    submitted(await requestUi(), form, { schema: VantagePatch, input: labelsInput(form) }, async (patch) => {
      await updateVantage(id, patch);
      revalidatePath('/vantages');
      redirect('/vantages');
    }),
);

export const deleteVantageAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteVantage(String(form.get('id')));
  revalidatePath('/vantages');
  redirect('/vantages');
});

/** The form of a vantage as the API would have it: empty fields are null, the AS number is a number. */
function labelsInput(form: FormData) {
  const text = (field: string) => formText(form, field) ?? '';
  const asn = text('asn').replace(/^AS/i, '');
  return {
    name: text('name'),
    country: text('country').toUpperCase(),
    region: text('region').toUpperCase(),
    city: text('city') || null,
    carrier: text('carrier').toLowerCase(),
    asn: asn === '' ? null : Number(asn),
    access: text('access'),
    mayHoldSecrets: form.get('mayHoldSecrets') !== null,
  };
}
