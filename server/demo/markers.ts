import { v7 as uuid } from 'uuid';
import { getPool } from '#server/database/database.ts';

/** A change of one of the demo's origins, named by its host; `at` is RFC 3339. */
export type DemoMarker = { host: string; at: string; title: string; text: string };

/** Writes a marker of the demo, once however often it is told. Does nothing where no target of the demo has the host. */
export async function addDemoMarker({ host, at, title, text }: DemoMarker): Promise<void> {
  const id = uuid({ msecs: Date.parse(at) });
  await getPool().query(
    `insert into marker (id, at, target_id, title, text, created_by, demo)
      select $1, $2, t.id, $3, $4, 'demo', true from target t
      where t.demo and t.deleted_at is null and split_part(split_part(t.url, '/', 3), ':', 1) = $5
        and not exists (select from marker known where known.target_id = t.id and known.at = $2 and known.title = $3)`,
    [id, at, title, text, host],
  );
}
