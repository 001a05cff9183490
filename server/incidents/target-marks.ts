import type { OpenIncident } from '#contract/incident-parts.ts';
import { getPool } from '#server/database/database.ts';
import { GOES_ON, openIncidentJson, openIncidentOf } from './on-targets.ts';

/** What happened to a target: an incident found at `at` (ms), or a marker; `kind` is the incident's, or `marker`. */
export type TargetMark = { at: number; kind: string };

/** What is known of each target by its id: the incidents that go on, and what happened since an instant. */
export type TargetMarks = { open: OpenIncident[]; marks: TargetMark[] };

type IncidentRow = { target: string; open: Omit<OpenIncident, 'failure'>[]; changes: TargetMark[] };
type MarkerRow = { target: string | null; at: number };

/** Incidents and markers since `from` of every target, and the incidents that go on, whenever they began. */
export async function targetMarksSince(from: Date): Promise<Map<string, TargetMarks>> {
  const [incidents, markers] = await Promise.all([readIncidents(from), readMarkers(from)]);
  const all = new Map<string, TargetMarks>();
  for (const { target, open, changes } of incidents)
    all.set(target, { open: open.map(openIncidentOf), marks: changes });
  for (const { target, at } of markers) {
    for (const id of target === null ? await targetIds() : [target]) {
      const known = all.get(id) ?? { open: [], marks: [] };
      known.marks.push({ at, kind: 'marker' });
      all.set(id, known);
    }
  }
  return all;
}

const MOST = 1_000;

async function readIncidents(from: Date): Promise<IncidentRow[]> {
  const { rows } = await getPool().query<IncidentRow>(
    `select cell.target,
            coalesce(json_agg(${openIncidentJson('cell.target')}) filter (where ${GOES_ON}), '[]') as open,
            coalesce(
              json_agg(json_build_object('at', floor(extract(epoch from i.onset_at) * 1000), 'kind', i.kind))
                filter (where i.onset_at >= $1),
              '[]'
            ) as changes
       from (select * from incident i where ${GOES_ON} or onset_at >= $1
              order by (${GOES_ON}) desc, onset_at desc limit ${MOST}) i
      cross join lateral (
        select distinct each ->> 'targetId' as target from jsonb_array_elements(i.cells::jsonb) each
      ) cell
      where cell.target is not null
      group by cell.target`,
    [from],
  );
  return rows;
}

async function readMarkers(from: Date): Promise<MarkerRow[]> {
  const { rows } = await getPool().query<MarkerRow>(
    `select target_id as target, floor(extract(epoch from at) * 1000)::float8 as at
       from marker where at >= $1 order by at desc limit ${MOST}`,
    [from],
  );
  return rows;
}

async function targetIds(): Promise<string[]> {
  const { rows } = await getPool().query<{ id: string }>('select id from target where deleted_at is null');
  return rows.map(({ id }) => id);
}
