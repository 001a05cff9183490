import type { Location } from '#contract/extent.ts';
import type { Incident, IncidentsQuery } from '#contract/incident.ts';
import type { OpenIncident } from '#contract/incident-parts.ts';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { failureIn } from './failure.ts';
import { whereOf } from './incidents.ts';
import { impactIn, presentIncidents } from './present.ts';
import { type IncidentRecord, recordOf } from './stored-incident.ts';

/** SQL of what `openIncidentOf` reads, of a row `i` of `incident`, with the cells of one target alone: `target` is its id as text. */
export const openIncidentJson = (target: string) => `json_build_object(
  'id', i.id, 'kind', i.kind, 'status', i.status, 'severity', i.severity, 'metric', i.metric, 'cause', i.cause,
  'evidence', i.evidence, 'targetId', i.target_id, 'effectMs', i.effect_ms, 'effectRatio', i.effect_ratio,
  'userShare', i.user_share, 'excessMs', i.excess_ms,
  'onsetAt', to_char(i.onset_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'standingSince', to_char(i.standing_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'heldUntil', to_char(i.held_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'cells', jsonb_path_query_array(i.cells, '$[*] ? (@.targetId == $id)', jsonb_build_object('id', ${target})))`;

/** SQL that says whether incident `i` still goes on; what became faster is nothing to look at. */
export const GOES_ON = `i.status in ('open', 'acknowledged') and i.kind <> 'improvement'`;

/** What `openIncidentJson` gives. */
export type OpenRow = Omit<OpenIncident, 'failure' | 'impact'> & Pick<IncidentRecord, 'userShare' | 'excessMs'>;

/** An incident as `openIncidentJson` gives it. */
export function openIncidentOf({ userShare, excessMs, ...row }: OpenRow): OpenIncident {
  return { ...row, failure: failureIn(row), impact: impactIn({ userShare, excessMs }) };
}

/** Most incidents that the page of a target sums up. */
export const MOST_OPEN = 100;

type Row = { incidents: OpenRow[]; places: Location[] };

/** The incidents of a target that go on, and where it is to be measured, in one statement. */
export async function openIncidentsOf(targetId: string): Promise<{ incidents: OpenIncident[]; places: Location[] }> {
  const { rows } = await getPool().query<Row>(
    `select coalesce((select json_agg(${openIncidentJson('$1::text')} order by i.onset_at desc) from (
          select * from incident i
          where ${GOES_ON} and (i.target_id = $1::uuid or i.cells @> jsonb_build_array(jsonb_build_object('targetId', $1::text)))
          order by onset_at desc limit ${MOST_OPEN}) i), '[]') as incidents,
      coalesce((select json_agg(distinct jsonb_build_object('region', v.region, 'carrier', v.carrier))
        from "check" c join vantage v on v.id = c.vantage_id
        where c.target_id = $1::uuid and c.deleted_at is null and v.deleted_at is null), '[]') as places`,
    [targetId],
  );
  const [row = { incidents: [], places: [] }] = rows;
  return { incidents: row.incidents.map(openIncidentOf), places: row.places };
}

/** Of these the time that they last is shown; of lasting changes the moment alone. */
const LASTING: IncidentKind[] = ['spike', 'threshold', 'down'];
const MOMENTS: IncidentKind[] = ['regression', 'improvement'];

type Range = Required<Pick<IncidentsQuery, 'from' | 'to' | 'limit'>> &
  Pick<IncidentsQuery, 'target' | 'region' | 'carrier'>;

/**
 * What was found in a range, latest first: what began in it, and what began before and lasted into it. At most `limit` of
 * each; `total` counts all.
 */
export async function incidentsBetween({ from, to, limit, ...filters }: Range) {
  const begun = { kind: { in: [...LASTING, ...MOMENTS] }, onsetAt: { gte: from, lt: to } };
  const lasted = {
    kind: { in: LASTING },
    onsetAt: { lt: from },
    OR: [{ resolvedAt: null }, { resolvedAt: { gte: from } }],
  };
  const [inside, before] = await Promise.all(
    [begun, lasted].map((where) => read({ AND: [whereOf(filters), where] }, limit)),
  );
  const found = [inside, before].filter((each) => each !== undefined);
  return {
    incidents: found.flatMap(({ incidents }): Incident[] => incidents),
    total: found.reduce((sum, { total }) => sum + total, 0),
  };
}

async function read(where: Prisma.IncidentWhereInput, take: number) {
  const rows = await getPrisma().incident.findMany({ where, orderBy: [{ onsetAt: 'desc' }, { id: 'desc' }], take });
  const total = rows.length < take ? rows.length : await getPrisma().incident.count({ where });
  return { total, incidents: await presentIncidents(getPrisma(), rows.map(recordOf)) };
}

/** What happened to a target: an incident found at `at` (ms), or a marker; `kind` is the incident's, or `marker`. */
export type TargetMark = { at: number; kind: string };

/** What is known of each target by its id: the incidents that go on, and what happened since an instant. */
export type TargetMarks = { open: OpenIncident[]; marks: TargetMark[] };

/** `target` null: of every target. */
type MarksRow = { target: string | null; open: OpenRow[]; marks: TargetMark[] };

/** Incidents and markers since `from` of every target, and the incidents that go on, whenever they began. In one statement. */
export async function targetMarksSince(from: Date): Promise<Map<string, TargetMarks>> {
  const { rows } = await getPool().query<MarksRow>(
    `select cell.target,
            coalesce(json_agg(${openIncidentJson('cell.target')}) filter (where ${GOES_ON}), '[]') as open,
            coalesce(json_agg(${markJson('i.onset_at', 'i.kind')}) filter (where i.onset_at >= $1), '[]') as marks
       from (select * from incident i where ${GOES_ON} or onset_at >= $1
              order by (${GOES_ON}) desc, onset_at desc limit ${MOST}) i
      cross join lateral (
        select distinct each ->> 'targetId' as target from jsonb_array_elements(i.cells::jsonb) each
      ) cell
      where cell.target is not null
      group by cell.target
     union all
     select target_id::text, '[]', json_agg(${markJson('at', "'marker'")})
       from (select target_id, at from marker where at >= $1 order by at desc limit ${MOST}) m
      group by target_id`,
    [from],
  );
  const all = new Map<string, TargetMarks>();
  for (const { target, open, marks } of rows) {
    for (const id of target === null ? await targetIds() : [target]) {
      const known = all.get(id) ?? { open: [], marks: [] };
      all.set(id, { open: [...known.open, ...open.map(openIncidentOf)], marks: [...known.marks, ...marks] });
    }
  }
  return all;
}

const MOST = 1_000;

/** SQL of a mark. */
const markJson = (at: string, kind: string) =>
  `json_build_object('at', floor(extract(epoch from ${at}) * 1000), 'kind', ${kind})`;

async function targetIds(): Promise<string[]> {
  const { rows } = await getPool().query<{ id: string }>('select id from target where deleted_at is null');
  return rows.map(({ id }) => id);
}
