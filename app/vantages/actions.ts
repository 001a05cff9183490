'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import type { Shown, ShownState } from '#components/ui/secret-form.tsx';
import type { Enrolment } from '#contract/vantage.ts';
import { EnrolmentCreate, EnrolmentRenew, VantagePatch } from '#contract/vantage.ts';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { isThisMachine } from '#server/access/client-address.ts';
import { createEnrolment, renewEnrolment } from '#server/vantages/enrolments.ts';
import { deleteVantage, updateVantage } from '#server/vantages/vantages.ts';
import { adminAction, requestOrigin } from '../access.ts';
import { refusedByServer, refusedByZod } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';

/** Makes a vantage and answers with the commands that start its prober; the token in them is shown this once. */
export const addVantageAction = adminAction(async (_before: ShownState, form: FormData): Promise<ShownState> => {
  const ui = await requestUi();
  const parsed = EnrolmentCreate.safeParse(labelsInput(form));
  if (!parsed.success) return { ...refusedByZod(ui, form, parsed.error), shown: null };
  try {
    const enrolment = await createEnrolment(parsed.data);
    revalidatePath('/vantages');
    return { problem: null, errors: {}, values: {}, shown: commands(ui, enrolment, await requestOrigin()) };
  } catch (error) {
    return { ...refusedByServer(ui, form, error), shown: null };
  }
});

/** A new token for a vantage that is there; bound to its id by the page. */
export const renewEnrolmentAction = adminAction(
  async (id: string, _before: ShownState, form: FormData): Promise<ShownState> => {
    const ui = await requestUi();
    try {
      const enrolment = await renewEnrolment(id, EnrolmentRenew.parse({}));
      return { problem: null, errors: {}, values: {}, shown: commands(ui, enrolment, await requestOrigin()) };
    } catch (error) {
      return { ...refusedByServer(ui, form, error), shown: null };
    }
  },
);

/** The image `prober` of the Dockerfile, run as docs/operations.md says. */
const DOCKER_RUN =
  'docker run --detach --name roundtrip-prober --restart unless-stopped --init --read-only --tmpfs /tmp --cap-drop ALL ' +
  '--volume roundtrip-prober:/data roundtrip-prober:0.1.0';

function commands({ t, timeZone }: Ui, { token, expiresAt, vantage }: Enrolment, server: string): Shown {
  const { protocol, hostname } = new URL(server);
  // Without TLS a prober takes a server of another machine only where it is told to.
  const insecure = protocol === 'http:' && !isThisMachine(hostname) ? ' --insecure-server' : '';
  const options = `--server ${server} --token ${token}${insecure}`;
  return {
    title: t('vantages.enrolTitle', { name: vantage.name }),
    text: t('vantages.enrolText', { expires: `${formatTime(expiresAt, timeZone, 'minute')} ${timeZone}` }),
    commands: [
      { label: t('vantages.enrolCommand'), command: `npx roundtrip prober ${options}` },
      {
        label: t('vantages.enrolDocker'),
        command: `${DOCKER_RUN} ${options}`,
      },
    ],
  };
}

/** Changes the labels of a vantage; bound to its id by the page. */
export const updateVantageAction = adminAction(
  async (id: string, _before: FormState, form: FormData): Promise<FormState> => {
    const ui = await requestUi();
    const parsed = VantagePatch.safeParse(labelsInput(form));
    if (!parsed.success) return refusedByZod(ui, form, parsed.error);
    try {
      await updateVantage(id, parsed.data);
    } catch (error) {
      return refusedByServer(ui, form, error);
    }
    revalidatePath('/vantages');
    redirect('/vantages');
  },
);

export const deleteVantageAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteVantage(String(form.get('id')));
  revalidatePath('/vantages');
  redirect('/vantages');
});

/** The form of a vantage as the API would have it: empty fields are null, the AS number is a number. */
function labelsInput(form: FormData) {
  const text = (field: string) => String(form.get(field) ?? '').trim();
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
