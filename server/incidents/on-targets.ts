import { z } from 'zod';
import type { Location } from '#contract/extent.ts';
import type { OpenIncident } from '#contract/incident-parts.ts';
import { getPool } from '#server/database/database.ts';
import { failureIn } from './failure.ts';
import { StoredCell } from './row.ts';

/** SQL of what `openIncidentOf` reads, of a row `i` of `incident`, with the cells of one target alone: `target` is its id as text. */
export const openIncidentJson = (target: string) => `json_build_object(
  'id', i.id, 'kind', i.kind, 'status', i.status, 'severity', i.severity, 'metric', i.metric, 'cause', i.cause,
  'evidence', i.evidence, 'targetId', i.target_id, 'effectMs', i.effect_ms, 'effectRatio', i.effect_ratio,
  'onsetAt', to_char(i.onset_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'cells', jsonb_path_query_array(i.cells, '$[*] ? (@.targetId == $id)', jsonb_build_object('id', ${target})))`;

/** SQL that says whether incident `i` still goes on; what became faster is nothing to look at. */
export const GOES_ON = `i.status in ('open', 'acknowledged') and i.kind <> 'improvement'`;

const Cells = z.array(StoredCell);

/** An incident as `openIncidentJson` gives it. */
export function openIncidentOf(row: Omit<OpenIncident, 'failure'>): OpenIncident {
  const cells = Cells.parse(row.cells).map((cell) => ({ ...cell, quietSince: cell.quietSince ?? null }));
  return { ...row, cells, failure: failureIn(row) };
}

/** Most incidents that the page of a target sums up. */
export const MOST_OPEN = 100;

type Row = { incidents: Omit<OpenIncident, 'failure'>[]; places: Location[] };

/** The incidents that go on and are about vantages, not targets: one that is silent; and where all vantages are. */
export async function openIncidentsOfVantages(): Promise<{ incidents: OpenIncident[]; places: Location[] }> {
  const { rows } = await getPool().query<Row>(
    `select coalesce((select json_agg(${openIncidentJson('null::text')} order by i.onset_at desc) from (
          select * from incident i
          where ${GOES_ON} and i.target_id is null and i.cells @> '[{"targetId": null}]'
          order by onset_at desc limit ${MOST_OPEN}) i), '[]') as incidents,
      coalesce((select json_agg(distinct jsonb_build_object('region', region, 'carrier', carrier))
        from vantage where deleted_at is null), '[]') as places`,
  );
  return opened(rows);
}

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
  return opened(rows);
}

function opened([row = { incidents: [], places: [] }]: Row[]) {
  return { incidents: row.incidents.map(openIncidentOf), places: row.places };
}
