import { z } from 'zod';
import { SEVERITIES, Severity } from './incident.ts';
import { WebhookEventType } from './webhook-event.ts';

/** How a message is written for its receiver (docs/webhooks.md). */
export const FORMATS = [
  'standard',
  'slack',
  'feishu',
  'dingtalk',
  'wecom',
  'pagerduty',
  'alertmanager',
  'template',
  'email',
] as const;
export const WebhookFormat = z.enum(FORMATS).meta({ id: 'WebhookFormat' });
export type WebhookFormat = z.infer<typeof WebhookFormat>;

/** Settings of a webhook that only some formats have. */
export const FORMAT_FIELDS = ['email', 'template', 'labels'] as const;
export type FormatField = (typeof FORMAT_FIELDS)[number];

/** What the form of a format asks for; the format itself says it (`server/webhooks/formats/`). */
export type FormatForm = { url: boolean; secret: boolean; fields: readonly FormatField[] };

/** The language of messages that people read. */
export const LANGUAGES = ['en', 'zh-CN'] as const;
export const Language = z.enum(LANGUAGES).meta({ id: 'WebhookLanguage' });
export type Language = z.infer<typeof Language>;

/** Longest template, and longest address. */
export const MAX_TEMPLATE_CHARACTERS = 10_000;
const MAX_URL_CHARACTERS = 2_048;

/** Says what is wrong with an endpoint's URL, or null. */
export function webhookUrlProblem(value: string): string | null {
  if (!/^https?:\/\//i.test(value)) return 'must be a URL that begins with https:// or http://';
  if (!URL.canParse(value)) return 'is not a URL';
  const url = new URL(value);
  if (url.username || url.password) return 'must not carry a user name or password';
  return url.port === '0' ? 'has port 0, which is not between 1 and 65535' : null;
}

const WebhookUrl = z
  .string()
  .trim()
  .max(MAX_URL_CHARACTERS)
  .superRefine((value, context) => {
    const problem = webhookUrlProblem(value);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

const mailbox = z
  .string()
  .trim()
  .max(320)
  .regex(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, 'must be an address such as ops@example.org');

/** How mail leaves. The password is the webhook's `secret`. */
export const EmailSettings = z
  .strictObject({
    host: z
      .string()
      .trim()
      .min(1)
      .max(253)
      .regex(/^[A-Za-z0-9.:_-]+$/, 'must be a host name or an address'),
    port: z.number().int().min(1).max(65_535).default(587),
    secure: z.boolean().default(false).meta({
      description: 'true speaks TLS from the first byte (port 465); false upgrades with STARTTLS where offered',
    }),
    user: z.string().max(320).nullable().default(null),
    from: mailbox,
    to: z.array(mailbox).min(1).max(20),
  })
  .meta({ id: 'EmailSettings' });
export type EmailSettings = z.infer<typeof EmailSettings>;

const label = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, 'must be a label name: letters, digits and _');

/** What some formats need beyond an address; the rest is unused there. */
export const WebhookSettings = z
  .strictObject({
    email: EmailSettings.nullable().default(null).meta({ description: 'needed by the format `email`' }),
    contentType: z
      .string()
      .max(100)
      .regex(/^[\w.+-]+\/[\w.+-]+(; *charset=utf-8)?$/i, 'must be a media type such as application/json')
      .default('application/json')
      .meta({ description: 'of the format `template`; a JSON type escapes what is filled in' }),
    labels: z
      .record(label, z.string().max(200))
      .default({})
      .refine((labels) => Object.keys(labels).length <= 20, 'must be at most 20')
      .meta({ description: 'added to every alert of the format `alertmanager`' }),
  })
  .meta({ id: 'WebhookSettings' });
export type WebhookSettings = z.infer<typeof WebhookSettings>;

const secret = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

const editable = {
  name: z.string().trim().min(1).max(200),
  url: WebhookUrl.nullable(),
  secret: secret.nullable().meta({
    description:
      '`standard`, `template`: `whsec_` and base64 of 24 to 64 bytes; made by the server where left out. `feishu`, `dingtalk`: the secret of signed robots. `pagerduty`: the routing key. `email`: the password',
  }),
  language: Language,
  events: z.array(WebhookEventType).max(50).meta({ description: 'an empty list takes all' }),
  ruleIds: z.array(z.uuid()).max(200).meta({ description: 'an empty list takes all rules' }),
  severities: z.array(Severity).max(SEVERITIES.length).meta({ description: 'an empty list takes all' }),
  settings: WebhookSettings,
  template: z.string().max(MAX_TEMPLATE_CHARACTERS).nullable(),
  enabled: z.boolean(),
};

export const WebhookCreate = z
  .strictObject({
    ...editable,
    format: WebhookFormat.default('standard'),
    name: editable.name.optional().meta({ description: 'the host where left out; `email` for mail' }),
    url: editable.url.default(null).meta({ description: 'needed by all but `pagerduty` and `email`' }),
    secret: editable.secret.default(null),
    language: editable.language.default('en'),
    events: editable.events.default([]),
    ruleIds: editable.ruleIds.default([]),
    severities: editable.severities.default([]),
    settings: editable.settings.prefault({}),
    template: editable.template.default(null).meta({ description: 'needed by the format `template`' }),
    enabled: editable.enabled.default(true),
  })
  .meta({ id: 'WebhookCreate' });
export type WebhookCreate = z.infer<typeof WebhookCreate>;

/** Fields left out stay as they are; `settings` is replaced whole. A `secret` takes the place of all that were valid. */
export const WebhookPatch = z.strictObject(editable).partial().meta({ id: 'WebhookPatch' });
export type WebhookPatch = z.infer<typeof WebhookPatch>;

export const Webhook = z
  .object({
    id: z.uuid(),
    name: z.string(),
    format: WebhookFormat,
    url: z
      .string()
      .nullable()
      .meta({ description: 'the part after the host is `***` for readers, and where it is a credential by itself' }),
    secrets: z.array(z.object({ hint: z.string(), expiresAt: z.iso.datetime().nullable() })).meta({
      description: 'those that are valid, newest first: the last characters alone',
    }),
    language: Language,
    events: z.array(z.string()),
    ruleIds: z.array(z.uuid()),
    severities: z.array(z.string()),
    settings: WebhookSettings.meta({ description: 'for readers `email` is null' }),
    template: z.string().nullable().meta({ description: '`***` for readers' }),
    enabled: z.boolean(),
    disabledReason: z.string().nullable(),
    slowUntil: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'nothing is sent before: the receiver asked for it, or fails again and again' }),
    demo: z.boolean(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

/** `secret` is shown this once; null where the format has none. */
export const WebhookCreated = Webhook.extend({ secret: z.string().nullable() }).meta({ id: 'WebhookCreated' });
export type WebhookCreated = z.infer<typeof WebhookCreated>;

/** Most secrets that are valid at once. */
export const MAX_SECRETS = 5;

export const SecretRotation = z
  .strictObject({
    secret: secret.optional().meta({ description: 'made by the server where left out' }),
    keepHours: z
      .number()
      .min(0)
      .max(720)
      .default(24)
      .meta({ description: 'how long the secrets before it go on signing too' }),
  })
  .meta({ id: 'SecretRotation' });
export type SecretRotation = z.infer<typeof SecretRotation>;

/** What a message looks like on the wire. Secrets in it are `***`; for readers so are the body and the values of headers. */
export const WebhookPreview = z
  .object({
    event: WebhookEventType,
    sample: z.boolean().meta({ description: 'false where it is the latest real message of this kind' }),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  })
  .meta({ id: 'WebhookPreview' });
export type WebhookPreview = z.infer<typeof WebhookPreview>;

const previewed = WebhookEventType.default('tls.spike.opened');

/** A webhook as it would be made, and the kind of event to show. */
export const WebhookDraft = WebhookCreate.extend({ event: previewed }).meta({ id: 'WebhookDraft' });
export type WebhookDraft = z.infer<typeof WebhookDraft>;

export const PreviewQuery = z.strictObject({ event: previewed });
export type PreviewQuery = z.infer<typeof PreviewQuery>;
