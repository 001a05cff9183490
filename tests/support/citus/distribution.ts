/**
 * Where each table is on a cluster with the extension Citus. `target`: cut in shards by `target_id`, those of one target on one
 * node, so that what is asked of a target is answered there. `everywhere`: a copy on each node, to be joined with shards.
 * Partitions are where their table is. On one machine without the extension this says nothing, but the tests hold every
 * statement to it (statements.ts here). A test names a table that is missing here.
 */
export const DISTRIBUTION = {
  result: 'target',
  result_evidence: 'target',
  rollup_minute: 'target',
  rollup_ten: 'target',
  rollup_hour: 'target',
  rollup_day: 'target',
  staple_minute: 'target',
  rollup_dirty: 'target',
  rollup_log: 'everywhere',
  rollup_progress: 'everywhere',
  dictionary: 'everywhere',
  certificate: 'everywhere',
  target: 'everywhere',
  vantage: 'everywhere',
  check: 'everywhere',
  prober: 'everywhere',
  prober_report: 'everywhere',
  enrolment: 'everywhere',
  api_key: 'everywhere',
  session: 'everywhere',
  password_guess: 'everywhere',
  setting: 'everywhere',
  heartbeat: 'everywhere',
  marker: 'everywhere',
  alert_rule: 'everywhere',
  incident: 'everywhere',
  incident_event: 'everywhere',
  incident_detection: 'everywhere',
  detection: 'everywhere',
  silence: 'everywhere',
  detector_tick: 'everywhere',
  detector_status: 'everywhere',
  detector_checkpoint: 'everywhere',
  webhook: 'everywhere',
  delivery: 'everywhere',
  delivery_attempt: 'everywhere',
} as const satisfies Record<string, 'target' | 'everywhere'>;

/** The column by which tables are cut in shards. */
export const DISTRIBUTION_COLUMN = 'target_id';
