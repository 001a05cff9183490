import type { PoolClient } from 'pg';

/** How it ended: `error` is null where the receiver took the message. */
type End = { webhookId: string; deliveryIds: string[]; error: string | null; now: Date };

/** The incidents that these messages tell of, as parts of a burst too, say in their timelines what came of it. */
export async function noteIncidents(client: PoolClient, { webhookId, deliveryIds, error, now }: End): Promise<void> {
  await client.query(
    `insert into incident_event (id, incident_id, at, kind, text, params)
     select gen_random_uuid(), d.incident_id, $3,
       case when $4::text is null then 'delivered' else 'delivery_failed' end,
       coalesce(w.name || ': ' || $4::text, ''),
       jsonb_strip_nulls(jsonb_build_object('webhookId', w.id, 'webhookName', w.name, 'deliveryId', d.id,
         'type', d.event_type, 'error', $4::text))
     from delivery d join incident i on i.id = d.incident_id join webhook w on w.id = $1
     where d.webhook_id = $1 and (d.id = any($2::uuid[]) or d.group_id = any($2::uuid[]))`,
    [webhookId, deliveryIds, now, error],
  );
}
