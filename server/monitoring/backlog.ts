import { Gauge, type Registry } from 'prom-client';
import { DELIVERY_STATUSES } from '#contract/delivery.ts';
import { rollupLag } from '#server/rollups/rollups.ts';
import { lastContacts } from '#server/vantages/contact.ts';
import { readOutbox } from '#server/webhooks/deliveries.ts';

/** How far rollups and messages are behind, and when each vantage was heard last. */
export async function addBacklog(registers: Registry[]): Promise<void> {
  const [lagSeconds, outbox, contacts] = await Promise.all([rollupLag(), readOutbox(), lastContacts()]);
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `roundtrip_${name}`, help, labelNames, registers });
  gauge('rollup_lag_seconds', 'How long figures that are due wait to be computed; up to 75 is normal').set(lagSeconds);
  gauge('outbox_messages', 'Messages of webhooks that are still to be sent').set(outbox.messages);
  gauge('outbox_age_seconds', 'Age of the oldest of these messages; 0 where there is none').set(outbox.ageSeconds);
  const deliveries = gauge('deliveries_last_hour', 'Messages made in the last hour, by their status', ['status']);
  for (const status of DELIVERY_STATUSES) deliveries.set({ status }, outbox.lastHour.get(status) ?? 0);
  const seen = gauge('vantage_last_seen_timestamp_seconds', 'When the prober was heard last, in seconds since 1970', [
    ...['vantage', 'vantage_id', 'region', 'carrier'],
  ]);
  for (const { seenAt, ...labels } of contacts) seen.set(labels, seenAt);
}
