import type { IncidentCell, IncidentEvent } from '#contract/incident.ts';

/** An event, and how many lines joined or left with it; 0 where it is about something else. */
export type CountedEvent = IncidentEvent & { lines: number };

type SeriesKey = Pick<IncidentCell, 'targetId' | 'vantageId'>;
const keyOf = ({ targetId, vantageId }: SeriesKey) => `${targetId} ${vantageId}`;

/**
 * Events with the lines (target and vantage) that they are about. The detector watches several metrics of a line, each a
 * cell: the cells of one line count once, and what adds but another metric of known lines is left out. Lines join and leave
 * by handfuls within minutes: a run of the same kind stands once, at its last time.
 */
export function countedEvents(events: IncidentEvent[], cells: IncidentCell[]): CountedEvent[] {
  const shown: CountedEvent[] = [];
  const seen: Seen = { affected: new Set(), recovered: new Set() };
  for (const event of events) {
    const isBegin = event.kind === 'opened' || (event.kind === 'split' && 'from' in event.params);
    const lines = isBegin ? opening(event, cells, seen) : change(event, seen);
    const before = shown.at(-1);
    if (isChange(event) && lines === 0) continue;
    if (before && isChange(event) && before.kind === event.kind && before.params.reason === event.params.reason)
      shown[shown.length - 1] = { ...event, lines: before.lines + lines };
    else shown.push({ ...event, lines });
  }
  return shown;
}

type Seen = { affected: Set<string>; recovered: Set<string> };
const isChange = ({ kind }: IncidentEvent) => kind === 'cell_added' || kind === 'cell_recovered';

/** The lines that it names; of an older server, which told but a number, those of the cells that had been found by then. */
function opening({ at, params }: IncidentEvent, cells: IncidentCell[], { affected }: Seen): number {
  const named = namedIn(params.series ?? params.cells);
  const lines = named ?? cells.filter((cell) => Date.parse(cell.at) <= Date.parse(at)).map(keyOf);
  for (const line of lines) affected.add(line);
  return Math.max(1, affected.size);
}

const namedIn = (list: unknown) => (Array.isArray(list) ? (list as SeriesKey[]).map(keyOf) : null);

function change({ kind, params }: IncidentEvent, { affected, recovered }: Seen): number {
  const named = namedIn(params.cells) ?? [];
  const into = kind === 'cell_recovered' ? recovered : affected;
  const fresh = new Set(named.filter((key) => !into.has(key)));
  for (const key of fresh) into.add(key);
  if (kind === 'cell_added') for (const key of named) recovered.delete(key);
  return fresh.size;
}
