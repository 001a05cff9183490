import { v7 } from 'uuid';
import type { IncidentChange, IncidentEvent } from '#contract/event.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { presentIncidents } from './present.ts';
import { recordOf } from './stored-incident.ts';

// What changed of incidents lately, from their timelines: the id of a note is the time at which it was made.

/** `at`: when its last change was noted, ms since 1970. */
export type Change = IncidentEvent & { at: number };

/** `more`: the time of the last note that was read, where there are more than were. */
export type Changes = { changes: Change[]; noteIds: string[]; more: number | null };

/** Most notes that are read at once. */
const MOST_NOTES = 500;
/** Notes of what was sent say nothing new of the incident. */
const OF_MESSAGES = ['told', 'reminded', 'delivered', 'delivery_failed'];

const CHANGE: Readonly<Record<string, IncidentChange>> = {
  opened: 'opened',
  reopened: 'opened',
  acknowledged: 'acknowledged',
  resolved: 'resolved',
  accepted: 'resolved',
};

/** The least id of a note that was made at an instant, ms since 1970. */
export const noteIdAt = (ms: number): string => v7({ msecs: ms, seq: 0, random: new Uint8Array(16) });

/**
 * Incidents of which something was noted within `[from, to)` (ms since 1970) and not among `seen`, in the order of their last note, each as
 * it is by now.
 */
export async function changesBetween(from: number, to: number, seen: readonly string[]): Promise<Changes> {
  const { rows: notes } = await getPool().query<{ id: string; incidentId: string; kind: string }>(
    `select id, incident_id as "incidentId", case when kind = 'split' and params ? 'from' then 'opened' else kind end as kind
      from incident_event where id >= $1 and id < $2 and id <> all($3::uuid[]) and kind <> all($4)
      order by id limit ${MOST_NOTES}`,
    [noteIdAt(from), noteIdAt(to), seen, OF_MESSAGES],
  );
  const ofIncident = Map.groupBy(notes, ({ incidentId }) => incidentId);
  const rows =
    notes.length === 0 ? [] : await getPrisma().incident.findMany({ where: { id: { in: [...ofIncident.keys()] } } });
  const changes = (await presentIncidents(getPrisma(), rows.map(recordOf))).map((incident) => {
    const own = ofIncident.get(incident.id) ?? [];
    const changes = [...new Set(own.map(({ kind }) => CHANGE[kind] ?? 'changed'))];
    return { at: msOf(own.at(-1)?.id ?? ''), changes, incident };
  });
  const last = notes.length < MOST_NOTES ? undefined : notes.at(-1);
  return {
    changes: changes.toSorted((a, b) => a.at - b.at),
    noteIds: notes.map(({ id }) => id),
    more: last ? msOf(last.id) : null,
  };
}

const msOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);
