import { longestSpikeSeconds } from '#analysis/detection/parameters.ts';
import type { IncidentRecord, StoredCell } from './stored-incident.ts';

// When an incident began. A single series' onset may be off by chance, early or late; the middle of many is not. What took long to
// be detected is dated badly: such series do not count. All that shows an onset shows `onsetAt`, which is set by
// `onsetWith`; markers are looked for around the interval that it lies in.

/** When it began, the interval in which that lies, and by how much it is uncertain. */
export type Onset = { at: Date; from: Date; to: Date };

type DatedCell = Pick<StoredCell, 'at' | 'changeAt' | 'kind'>;

/** Onsets with smaller gaps between them belong together. */
const LARGEST_GAP_MS = 15 * 60_000;
/** The first onsets that belong together are the beginning where they are so many: others joined later. */
const LEAST_SHARE = 0.2;
const LEAST_TOGETHER = 2;
/** How long after its onset a change may have been made, at the least: the onset of a spike is a sample's instant. */
const UNCERTAIN_MS = { spike: 30_000, lasting: 120_000 };
/** No interval reaches further from the onset. */
const MOST_UNCERTAIN_MS = 3_600_000;
/** Of so many onsets a tenth is left out of the interval on either side. */
const MANY_CELLS = 10;
/** What took so many times as long to be detected as most series did, and longer than this, is not dated well. */
const SLOW = 2;
const SLOW_MS = 600_000;
/** A spike that took longer to be believed may have begun by chance; s. */
const SURE_SPIKE_SECONDS = 50 * 60;

/** The onset of some cells, one at the least: the median of those that are sure. */
export function onsetOf(cells: readonly DatedCell[]): Onset {
  const together = firstTogether(
    sureOf(cells)
      .map(({ changeAt }) => Date.parse(changeAt))
      .sort((a, b) => a - b),
  );
  const at = middleOf(together);
  const trim = together.length < MANY_CELLS ? 0 : Math.floor(together.length / MANY_CELLS);
  const least = cells.some(({ kind }) => kind !== 'spike') ? UNCERTAIN_MS.lasting : UNCERTAIN_MS.spike;
  const first = Math.max(together[trim] as number, at - MOST_UNCERTAIN_MS);
  const last = Math.min(Math.max(together[together.length - 1 - trim] as number, at + least), at + MOST_UNCERTAIN_MS);
  return { at: new Date(at), from: new Date(first), to: new Date(last) };
}

/** The onset of an incident whose cells have become others. Of one that came back it stays. None began after it opened. */
export function onsetWith({ onsetAt, openedAt, reopened }: IncidentRecord, cells: readonly DatedCell[]): Date {
  const { at } = onsetOf(cells);
  if (at > openedAt) return onsetAt;
  return at < onsetAt || reopened === 0 ? at : onsetAt;
}

/** The cells that were detected soon enough that their onsets are sure; all where none was. */
function sureOf(cells: readonly DatedCell[]): readonly DatedCell[] {
  const usual = middleOf(cells.map(delayMs).sort((a, b) => a - b));
  const sure = cells.filter((cell) => {
    const most = 1_000 * (cell.kind === 'spike' ? SURE_SPIKE_SECONDS : 2 * longestSpikeSeconds);
    return delayMs(cell) <= Math.min(most, Math.max(SLOW_MS, SLOW * usual));
  });
  return sure.length > 0 ? sure : cells;
}

const delayMs = ({ at, changeAt }: DatedCell) => Date.parse(at) - Date.parse(changeAt);

/** The median of sorted values; of an even number the lower of the two in the middle. */
const middleOf = (sorted: readonly number[]) => sorted[(sorted.length - 1) >> 1] as number;

/** The first of these sorted onsets that belong together and are enough of them; else all. */
function firstTogether(onsets: readonly number[]): readonly number[] {
  const least = Math.max(LEAST_TOGETHER, LEAST_SHARE * onsets.length);
  let begin = 0;
  for (let end = 1; end <= onsets.length; end++) {
    if ((onsets[end] ?? Number.POSITIVE_INFINITY) - (onsets[end - 1] as number) <= LARGEST_GAP_MS) continue;
    if (end - begin >= least) return onsets.slice(begin, end);
    begin = end;
  }
  return onsets;
}
