/**
 * Where each table is on a cluster with the extension Citus. `target`: cut in shards by `target_id`, those of one target on one
 * node, so that what is asked of a target is answered there. `everywhere`: a copy on each node, to be joined with shards; a
 * change of it is a commit in two phases on all nodes. `coordinator`: stays on the node that all connect to, as on one machine:
 * what many processes change at once, and what is asked for again and again whether there is something; nothing of it is joined
 * with shards. Partitions are where their table is. Without the
 * extension this says nothing, but the tests hold every statement to it (tests/support/citus). A test names a missing table.
 */
export const DISTRIBUTION = {
  result: 'target',
  result_evidence: 'target',
  result_block: 'target',
  rollup_minute: 'target',
  rollup_ten: 'target',
  rollup_hour: 'target',
  rollup_day: 'target',
  staple_minute: 'target',
  rollup_dirty: 'coordinator',
  rollup_log: 'coordinator',
  rollup_progress: 'coordinator',
  detector_late: 'coordinator',
  dictionary: 'everywhere',
  certificate: 'everywhere',
  target: 'coordinator',
  vantage: 'coordinator',
  check: 'coordinator',
  prober: 'coordinator',
  prober_report: 'coordinator',
  enrolment: 'coordinator',
  api_key: 'coordinator',
  session: 'coordinator',
  password_guess: 'coordinator',
  request_count: 'coordinator',
  setting: 'coordinator',
  heartbeat: 'coordinator',
  target_advice: 'coordinator',
  target_usual: 'coordinator',
  marker: 'coordinator',
  comparison: 'coordinator',
  alert_rule: 'coordinator',
  incident: 'coordinator',
  incident_event: 'coordinator',
  incident_detection: 'coordinator',
  detection: 'coordinator',
  lowered_sensitivity: 'coordinator',
  silence: 'coordinator',
  detector_tick: 'coordinator',
  detector_status: 'coordinator',
  detector_checkpoint: 'coordinator',
  webhook: 'coordinator',
  delivery: 'coordinator',
  delivery_attempt: 'coordinator',
  measurement: 'coordinator',
  measurement_vantage: 'coordinator',
  idempotency: 'coordinator',
  status_page: 'coordinator',
} as const satisfies Record<string, 'target' | 'everywhere' | 'coordinator'>;

/** The column by which tables are cut in shards. */
export const DISTRIBUTION_COLUMN = 'target_id';
