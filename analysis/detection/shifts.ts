import { causeOf } from './cause.ts';
import { SLOT, slotOf } from './clock.ts';
import { acceptChange, connectLevels, contrastSince, type Line, sinceOf, tlsLevels } from './line.ts';
import { agreeing, type Candidate } from './neighbours.ts';
import { onsetOf } from './onset.ts';
import type { Roster } from './roster.ts';
import type { Cause } from './sample.ts';
import { findShift, type Relief, type Shift } from './shift.ts';

/** A lasting change that a line has from now on. */
export type AcceptedShift = { line: Line; onset: number; effect: number; cause: Cause };

/** A change counts as lasting after so many seconds: an incident may take 3 hours. */
const LASTING = 3.6 * 3_600;
/** Half hours before a window in which its change may have begun. */
const EARLIER = 24;

/** The lasting changes that the half hours up to `slot` show; their lines begin anew. */
export function shiftsOf(roster: Roster, slot: number, now: number): AcceptedShift[] {
  const sure = new Map<number, Candidate>();
  const possible: Record<1 | 2, Map<number, Candidate>> = { 1: new Map(), 2: new Map() };
  roster.lines.forEach((line, index) => {
    const found = shiftOf(line, slot);
    const candidate = found && candidateOf(line, index, found.shift, slot);
    if (!candidate) return;
    possible[2].set(index, candidate);
    if (found.needs < 2) possible[1].set(index, candidate);
    if (found.needs === 0) sure.set(index, candidate);
  });
  if (possible[2].size === 0) return [];
  for (const group of roster.groups()) {
    for (const candidate of [...agreeing(roster, group, possible[1], 1), ...agreeing(roster, group, possible[2], 2)])
      sure.set(candidate.index, candidate);
  }
  const accepted = [...sure.values()]
    .sort((a, b) => a.index - b.index)
    .map(({ index, onset, effect }) => ({
      line: roster.at(index),
      onset,
      effect,
      cause: causeOfShift(roster, index, onset, slot),
    }));
  // Causes come first: a line that has begun anew has nothing to compare its siblings with.
  return accepted.filter(({ line, onset, effect }) => acceptChange(line, onset, effect, now));
}

/** A lasting change that a line shows, and how much its neighbours must confirm of it. */
function shiftOf(line: Line, slot: number): { shift: Shift; needs: Relief } | null {
  const levels = tlsLevels(line, slot);
  const faint = findShift(levels, 2);
  if (faint === null) return null;
  const shift = findShift(levels);
  if (shift) return { shift, needs: 0 };
  const likely = findShift(levels, 1);
  if (likely === null) return { shift: faint, needs: 2 };
  // The path's own round trip is measured apart from TLS: where it changed too, that is a second witness.
  const path = findShift(connectLevels(line, slot));
  return { shift: likely, needs: path !== null && path.effect / likely.effect >= 0.5 ? 0 : 1 };
}

/** Null where the change, as single samples date it, is not as old as what is to be called lasting. */
function candidateOf(line: Line, index: number, shift: Shift, slot: number): Candidate | null {
  const end = (slot + 1) * SLOT;
  const since = sinceOf(line) * SLOT;
  const start = end - shift.window * SLOT;
  const from = Math.max(since, start - EARLIER * SLOT);
  const { before, effect } = shift;
  const onset = onsetOf(line.tls, { since, from, start, before, effect });
  if (onset === null || onset > end - LASTING) return null;
  return { index, effect: shift.effect, onset };
}

function causeOfShift(roster: Roster, index: number, onset: number, slot: number): Cause {
  const from = Math.min(slotOf(onset) + 1, slot);
  const own = contrastSince(roster.at(index), from, slot);
  if (own === null) return 'server';
  return causeOf(
    own,
    roster.neighbours(index, 'target').flatMap((line) => contrastSince(line, from, slot) ?? []),
  );
}
