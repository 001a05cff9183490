import type { FormatForm, Webhook } from '#contract/webhook.ts';
import { MESSAGES } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { AreaField, CheckField, TextField } from '../ui/field.tsx';

/** What the fields show at first; of a stored secret the last characters alone. */
export type WebhookDraft = Omit<
  Webhook,
  'id' | 'disabledReason' | 'slowUntil' | 'demo' | 'managed' | 'createdAt' | 'updatedAt'
>;
/** `form` is what the format asks for. */
type Props = { ui: Ui; draft: WebhookDraft; form: FormatForm };

/** Where messages go, as far as the format asks for it. */
export function FormatFields({ ui, draft, form }: Props) {
  const { t } = ui;
  return (
    <>
      {form.url ? (
        <TextField
          name="url"
          label={t('webhooks.url')}
          help={t('webhooks.urlHelp')}
          placeholder="https://example.org/hook"
          inputMode="url"
          defaultValue={draft.url ?? ''}
          verbatim
        />
      ) : null}
      {form.fields.includes('email') ? <EmailFields ui={ui} draft={draft} /> : null}
      {form.secret ? <SecretField ui={ui} draft={draft} /> : null}
      {form.fields.includes('template') ? (
        <>
          <AreaField
            name="template"
            label={t('webhooks.template')}
            help={t('webhooks.templateHelp')}
            rows={6}
            defaultValue={draft.template ?? STARTER}
          />
          <TextField
            name="settings.contentType"
            label={t('webhooks.contentType')}
            defaultValue={draft.settings.contentType}
            verbatim
          />
        </>
      ) : null}
      {form.fields.includes('labels') ? (
        <AreaField
          name="settings.labels"
          label={t('webhooks.labels')}
          help={t('webhooks.labelsHelp')}
          defaultValue={Object.entries(draft.settings.labels)
            .map(([name, value]) => `${name}=${value}`)
            .join('\n')}
        />
      ) : null}
    </>
  );
}

const STARTER = '{"text": "{{type}}: {{data.targetName}} {{data.effectMs}} ms"}';

type SecretNames = typeof MESSAGES.en.webhooks.secret;

/** The texts of formats that have no secret name none; a test holds the rest against the formats. */
const hasSecretName = (format: string): format is keyof SecretNames =>
  Object.hasOwn(MESSAGES.en.webhooks.secret, format);

function SecretField({ ui: { t }, draft: { format, secrets } }: Omit<Props, 'form'>) {
  if (!hasSecretName(format)) throw new Error(`i18n: webhooks.secret.${format} is missing`);
  const [stored] = secrets;
  return (
    <TextField
      name="secret"
      type="password"
      label={t(`webhooks.secret.${format}`)}
      help={stored ? t('webhooks.secretKept', { hint: stored.hint }) : t(`webhooks.secretHelp.${format}`)}
      autoComplete="new-password"
    />
  );
}

function EmailFields({ ui: { t }, draft }: Omit<Props, 'form'>) {
  const email = draft.settings.email;
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[2fr_1fr]">
        <TextField name="settings.email.host" label={t('webhooks.host')} defaultValue={email?.host ?? ''} verbatim />
        <TextField
          name="settings.email.port"
          label={t('webhooks.port')}
          inputMode="numeric"
          defaultValue={email?.port ?? 587}
        />
      </div>
      <CheckField name="settings.email.secure" label={t('webhooks.secure')} checked={email?.secure ?? false} />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          name="settings.email.user"
          label={t('common.withNote', { label: t('webhooks.user'), note: t('common.optional') })}
          defaultValue={email?.user ?? ''}
          verbatim
        />
        <TextField
          name="settings.email.from"
          label={t('webhooks.from')}
          inputMode="email"
          defaultValue={email?.from ?? ''}
          verbatim
        />
      </div>
      <AreaField
        name="settings.email.to"
        label={t('webhooks.to')}
        help={t('webhooks.toHelp')}
        defaultValue={email?.to.join('\n') ?? ''}
      />
    </>
  );
}
