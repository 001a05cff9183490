'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import type { FormState } from '#components/ui/form.tsx';
import { Audience } from '#contract/audience.ts';
import { KeyCreate } from '#contract/key.ts';
import { RETENTION_CLASS_NAMES, RetentionPatch } from '#contract/retention.ts';
import { PasswordChange } from '#contract/session.ts';
import { StatusPageCreate } from '#contract/status-page.ts';
import { createKey, revokeKey } from '#server/access/keys.ts';
import { changePrivateAddresses } from '#server/access/private-addresses.ts';
import { changePassword, signOutEverywhere } from '#server/access/session.ts';
import { changeRetention } from '#server/database/retention.ts';
import { createStatusPage, deleteStatusPage } from '#server/targets/status-pages.ts';
import { changeAudience, resetAudience } from '#server/vantages/audience.ts';
import { adminAction, requestOrigin, requestSession } from '../access.ts';
import { shownOnce, submitted, TAKEN } from '../form-state.ts';
import { requestUi } from '../request-ui.ts';

/** Makes an API key; the answer shows it this once. */
export const createKeyAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const { t } = ui;
  const input = { name: form.get('name'), scope: form.get('scope') };
  return submitted(ui, form, { schema: KeyCreate, input }, async (created) => {
    const { name, key } = await createKey(created);
    revalidatePath('/settings');
    return shownOnce(ui, {
      title: t('settings.createdTitle', { name }),
      text: t('settings.createdText'),
      commands: [{ label: t('settings.keys'), command: key }],
    });
  });
});

export const revokeKeyAction = adminAction(async (form: FormData): Promise<void> => {
  await revokeKey(String(form.get('id')));
  revalidatePath('/settings');
});

/** Makes a status page; the answer shows its link this once. */
export const createStatusPageAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const { t } = ui;
  const input = { title: form.get('title'), tag: form.get('tag') || null };
  return submitted(ui, form, { schema: StatusPageCreate, input }, async (created) => {
    const { title, path } = await createStatusPage(created);
    revalidatePath('/settings');
    const link = `${await requestOrigin()}${path}`;
    return shownOnce(ui, {
      title: t('status.createdTitle', { title }),
      text: t('status.createdText'),
      commands: [
        { label: t('status.link'), command: link },
        { label: t('status.wallLink'), command: `${link}/wall` },
        { label: t('status.badgeLink'), command: `[![${title.replace(/[[\]]/g, '')}](${link}/badge.svg)](${link})` },
      ],
    });
  });
});

export const deleteStatusPageAction = adminAction(async (form: FormData): Promise<void> => {
  await deleteStatusPage(String(form.get('id')));
  revalidatePath('/settings');
});

/** Changes how long data is kept; an empty field is the default. What the environment fixes is not in the form. */
export const changeRetentionAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const typed = RETENTION_CLASS_NAMES.filter((name) => form.has(name)).map((name) => {
    const text = String(form.get(name)).trim();
    return [name, text === '' ? null : Number(text)] as const;
  });
  return submitted(ui, form, { schema: RetentionPatch, input: Object.fromEntries(typed) }, async (patch) => {
    await changeRetention(patch);
    revalidatePath('/settings');
    return { done: ui.t('settings.retentionChanged') };
  });
});

/** Allows private addresses as targets and webhooks, or refuses them. */
export const changePrivateAddressesAction = adminAction(
  async (_before: FormState, form: FormData): Promise<FormState> => {
    const { t } = await requestUi();
    await changePrivateAddresses(form.has('allowed'));
    revalidatePath('/settings');
    return { ...TAKEN, done: t('settings.privateSaved') };
  },
);

/** Changes how much regions and carriers count: a name and its weight a line. */
export const changeAudienceAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  if (form.has('reset')) {
    await resetAudience();
    revalidatePath('/settings');
    return { ...TAKEN, done: ui.t('advice.audienceReset') };
  }
  const input = {
    regions: weightsOf(String(form.get('regions') ?? '')),
    carriers: weightsOf(String(form.get('carriers') ?? '')),
  };
  return submitted(ui, form, { schema: Audience, input }, async (audience) => {
    await changeAudience(audience);
    revalidatePath('/settings');
    return { done: ui.t('advice.audienceSaved') };
  });
});

/** `CN-GD 12` a line; what is no number is for the schema to refuse. */
function weightsOf(text: string): Record<string, number> {
  const lines = text.split('\n').map((line) => line.trim().split(/[\s=:：]+/));
  return Object.fromEntries(lines.filter(([name]) => name).map(([name, weight]) => [name, Number(weight ?? 'NaN')]));
}

/** Changes the administrator's password; this session goes on, all others end. */
export const changePasswordAction = adminAction(async (_before: FormState, form: FormData): Promise<FormState> => {
  const ui = await requestUi();
  const [currentPassword, newPassword, repeated] = ['currentPassword', 'newPassword', 'repeatedPassword'].map((name) =>
    String(form.get(name) ?? ''),
  );
  if (newPassword !== repeated) {
    const errors = { repeatedPassword: ui.t('fieldError.repeatedPassword') };
    return { problem: ui.t('formError.invalid'), errors, values: {} };
  }
  const input = { currentPassword, newPassword };
  const state = await submitted(ui, form, { schema: PasswordChange, input }, async (parsed) => {
    const { currentPassword: current } = parsed;
    await changePassword(parsed.newPassword, { session: await requestSession(), currentPassword: current });
    revalidatePath('/settings');
    return { done: ui.t('settings.passwordChanged') };
  });
  // A password is never sent back to the page.
  return { ...state, values: {} };
});

/** Ends every session, this one too. */
export const signOutEverywhereAction = adminAction(async (_form: FormData): Promise<void> => {
  await signOutEverywhere();
  redirect('/login');
});
