import { log } from '#server/environment/log.ts';
import { countOpenIncidents } from '#server/incidents/incidents.ts';

/** The number in the navigation. Where the database is away the page itself says so: its frame must not fail before. */
export async function openIncidentCount(): Promise<number> {
  try {
    return await countOpenIncidents();
  } catch (error) {
    log.warn({ err: error }, 'the open incidents could not be counted');
    return 0;
  }
}
