import { Language, type Webhook, WebhookFormat, WebhookSettings } from '#contract/webhook.ts';
import type { Webhook as Row } from '#prisma/generated/client.ts';
import { openable, unseal } from '#server/access/sealing.ts';
import { MASK, type Viewer } from '#server/access/secret-settings.ts';
import { openSecrets } from './secrets.ts';

/** Whoever knows the whole address of these can post into a chat. */
const SECRET_URLS = new Set<WebhookFormat>(['slack', 'feishu', 'dingtalk', 'wecom']);

/** A webhook as it may leave the server for this viewer. */
export function presentWebhook(row: Row, viewer: Viewer): Webhook {
  const format = WebhookFormat.parse(row.format);
  return {
    id: row.id,
    name: row.name,
    format,
    url: shownUrl(row, format, viewer),
    secrets: shownSecrets(row, viewer),
    language: Language.parse(row.language),
    events: row.events,
    ruleIds: row.ruleIds,
    severities: row.severities,
    settings: shownSettings(row, viewer),
    template: viewer === 'editor' || row.template === null ? row.template : MASK,
    enabled: row.enabled,
    disabledReason: row.disabledReason,
    slowUntil: row.slowUntil?.toISOString() ?? null,
    demo: row.demo,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** The mail server, its user and the mailboxes are for those alone who may change them. */
function shownSettings(row: Row, viewer: Viewer): WebhookSettings {
  const settings = WebhookSettings.parse(row.settings);
  return viewer === 'reader' ? { ...settings, email: null } : settings;
}

function shownUrl(row: Row, format: WebhookFormat, viewer: Viewer): string | null {
  if (row.url === null) return null;
  const url = openable(() => unseal(row.url ?? ''));
  // A page must show what there is, also where this process cannot open it.
  if (url === null) return MASK;
  return viewer === 'reader' || SECRET_URLS.has(format) ? maskedUrl(url) : url;
}

/** The host alone: path and query may hold credentials. */
export const maskedUrl = (url: string) => `${new URL(url).origin}/${MASK}`;

/** Whether an address that was given is a mask of the stored one. */
export const isMaskedUrl = (url: string) => url.includes(MASK);

const HINT_CHARACTERS = 4;

function shownSecrets(row: Row, viewer: Viewer): Webhook['secrets'] {
  if (viewer === 'reader') return [];
  const secrets = openable(() => openSecrets(row.secrets, new Date())) ?? [];
  return secrets.map(({ secret, expiresAt }) => ({
    hint: secret.length > 12 ? `…${secret.slice(-HINT_CHARACTERS)}` : MASK,
    expiresAt,
  }));
}
