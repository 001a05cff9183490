import { type Detection, DetectionKind, type DetectionsQuery } from '#contract/detection.ts';
import type { Page } from '#contract/problem.ts';
import { getPool } from '#server/database/database.ts';
import { decodeCursor, encodeCursor } from '#server/results/cursor.ts';

// The log of series: what the detector found at each, also what no incident is about, since it was too small to be shown or no rule
// wanted it.

/** A page of what was found at series, the latest first. Throws `invalid` for a made-up cursor. */
export async function listDetections(query: DetectionsQuery): Promise<Page<Detection>> {
  const { target, vantage, region, carrier, kind, incident, from, to, limit, cursor } = query;
  const position = cursor === undefined ? null : decodeCursor(cursor);
  const { rows } = await getPool().query<Omit<Detection, 'at' | 'changeAt'> & { at: Date; changeAt: Date }>(
    `select d.id, d.kind, d.metric, d.cause, d.at, d.change_at as "changeAt", d.target_id as "targetId", t.name as "targetName",
        d.vantage_id as "vantageId", v.name as "vantageName", v.region, v.carrier, d.before_ms as "beforeMs",
        d.after_ms as "afterMs", d.demo,
        array(select incident_id from incident_detection i where i.detection_id = d.id order by 1) as "incidentIds"
      from detection d left join target t on t.id = d.target_id left join vantage v on v.id = d.vantage_id
      where ($1::uuid is null or d.target_id = $1) and ($2::uuid is null or d.vantage_id = $2)
        and ($3::text[] is null or v.region = any($3)) and ($4::text[] is null or v.carrier = any($4))
        and ($5::text[] is null or d.kind = any($5))
        and ($6::boolean is null or exists (select from incident_detection i where i.detection_id = d.id) = $6)
        and ($7::timestamptz is null or d.change_at >= $7) and ($8::timestamptz is null or d.change_at < $8)
        and ($9::timestamptz is null or (d.at, d.id) < ($9, $10::uuid))
      order by d.at desc, d.id desc limit $11`,
    [
      target ?? null,
      vantage ?? null,
      region?.length ? region : null,
      carrier?.length ? carrier : null,
      kind?.length ? kind : null,
      incident ?? null,
      from ?? null,
      to ?? null,
      position && new Date(position.startedAt),
      position?.id ?? null,
      limit + 1,
    ],
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map((row) => ({
      ...row,
      kind: DetectionKind.parse(row.kind),
      at: row.at.toISOString(),
      changeAt: row.changeAt.toISOString(),
    })),
    nextCursor: rows.length > limit && last ? encodeCursor({ startedAt: last.at.getTime(), id: last.id }) : null,
  };
}
