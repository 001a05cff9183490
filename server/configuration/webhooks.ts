import { WebhookConfiguration } from '#contract/configuration.ts';
import { MASK } from '#contract/target-secrets.ts';
import type { Webhook } from '#contract/webhook.ts';
import { getPrisma } from '#server/database/database.ts';
import { invalidField } from '#server/environment/errors.ts';
import { openEndpoint } from '#server/webhooks/secrets.ts';
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook } from '#server/webhooks/webhooks.ts';
import { allPages, type Known, type Things, withoutDefaults } from './things.ts';

export const webhookThings: Things<WebhookConfiguration, Webhook> = {
  section: 'webhooks',
  list: () => allPages((query) => listWebhooks(query, 'editor')),
  written(stored, known) {
    const { name, format, url, language, events, severities, settings, template, enabled, ruleIds } = stored;
    const rules = known.alertRules.namesOf(ruleIds);
    const whole = { name, format, url, language, events, severities, rules, settings, template, enabled };
    const defaults = WebhookConfiguration.parse({ name });
    return withoutDefaults(whole, defaults, ['name', 'format']) as Partial<WebhookConfiguration>;
  },
  parse: (part) => WebhookConfiguration.parse(part),
  async real({ id }, shown, { secret, url: wanted }) {
    const row = await getPrisma().webhook.findUniqueOrThrow({ where: { id } });
    const { url, secrets } = openEndpoint(row, new Date());
    // What a document leaves out or masks is not compared.
    return {
      ...shown,
      url: wanted?.includes(MASK) ? shown.url : url,
      secret: secret === null ? null : (secrets[0] ?? null),
    };
  },
  create(config, known, field) {
    if (config.url?.includes(MASK))
      throw invalidField(`${field}.url`, `has ${MASK} in it: give the whole address of a new webhook`);
    return createWebhook(withIds(config, known, field));
  },
  change(stored, config, known, field) {
    const { format, secret, ...patch } = withIds(config, known, field);
    if (format !== stored.format)
      throw invalidField(
        `${field}.format`,
        `cannot change from ${stored.format}: delete the webhook, or give the new one another name`,
      );
    return updateWebhook(stored.id, { ...patch, ...(secret === null ? {} : { secret }) });
  },
  remove: deleteWebhook,
};

function withIds({ rules, ...rest }: WebhookConfiguration, known: Known, field: string) {
  return { ...rest, ruleIds: known.alertRules.idsOf(rules, `${field}.rules`) };
}
