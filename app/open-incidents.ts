import { countOpenIncidents } from '#server/incidents/incidents.ts';
import { valueOrTrouble } from './page-trouble.tsx';

/** A page does not wait longer (ms) for the number. */
const PATIENCE_MS = 1_000;
let last = 0;

/** The number in the navigation; the last one known where the database is slow or away. */
export async function openIncidentCount(): Promise<number> {
  const counted = countOpenIncidents().then((count) => {
    last = count;
    return count;
  });
  return valueOrTrouble(counted, last, PATIENCE_MS);
}
