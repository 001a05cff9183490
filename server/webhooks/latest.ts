import type { Delivery } from '#contract/delivery.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { presentDelivery } from './list.ts';

/** The newest message to each webhook, by the webhook's id; a webhook that was sent nothing has none. */
export async function latestDeliveries(): Promise<Map<string, Delivery>> {
  const { rows } = await getPool().query<{ id: string }>(
    `select latest.id
       from webhook w
      cross join lateral (select id from delivery where webhook_id = w.id order by id desc limit 1) latest
      where w.deleted_at is null`,
  );
  const deliveries = await getPrisma().delivery.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  return new Map(deliveries.map((row) => [row.webhookId, presentDelivery(row)]));
}
