import { getPool } from '#server/database/database.ts';

/**
 * What the detector did since the last report: results consumed, ms of CPU time they took, results that came after their time was
 * consumed, and half hours of series that were replaced for these.
 */
export type Work = { samples: number; cpuMs: number; late: number; lateHalfHours: number };

export const noWork = (): Work => ({ samples: 0, cpuMs: 0, late: 0, lateHalfHours: 0 });

/** How far the detector is, and all that it did so far. `position`: seconds since 1970; `series`: with results in an hour. */
export type DetectionStatus = Work & { position: number; series: number };

/** Says how far it is, for other processes to read, and adds to what it did. */
export async function reportStatus(at: { position: number; series: number }, work: Work): Promise<void> {
  await getPool().query(
    `insert into detector_status as s (id, position, series, samples, late, cpu_ms, late_half_hours, written_at)
      values (1, $1, $2, $3, $4, $5, $6, now())
      on conflict (id) do update set position = excluded.position, series = excluded.series,
        samples = s.samples + excluded.samples, late = s.late + excluded.late, cpu_ms = s.cpu_ms + excluded.cpu_ms,
        late_half_hours = s.late_half_hours + excluded.late_half_hours, written_at = excluded.written_at`,
    [at.position, at.series, work.samples, work.late, work.cpuMs, work.lateHalfHours],
  );
}

/** What the process that leads said last; null where none ever consumed anything. */
export async function readStatus(): Promise<DetectionStatus | null> {
  const { rows } = await getPool().query<DetectionStatus>(
    `select position, series, samples::float8 as samples, late::float8 as late, cpu_ms as "cpuMs",
      late_half_hours::float8 as "lateHalfHours" from detector_status`,
  );
  return rows[0] ?? null;
}
