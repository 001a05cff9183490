import { causeOf } from './cause.ts';
import { SLOT, slotOf } from './clock.ts';
import { acceptChange, connectLevels, contrastSince, type Line, sinceOf, tlsLevels } from './line.ts';
import { agreeing, type Candidate } from './neighbours.ts';
import { onsetOf } from './onset.ts';
import type { Roster } from './roster.ts';
import type { Cause } from './sample.ts';
import { findShift, type Shift } from './shift.ts';

/** A lasting change that a line has from now on. */
export type AcceptedShift = { line: Line; onset: number; effect: number; cause: Cause };

/** A change counts as lasting after so many seconds: an incident may take 3 hours. */
const LASTING = 3.6 * 3_600;
/** Half hours before a window in which its change may have begun. */
const EARLIER = 8;

/** The lasting changes that the half hours up to `slot` show; their lines begin anew. */
export function shiftsOf(roster: Roster, slot: number, now: number): AcceptedShift[] {
  const sure = new Map<number, Candidate>();
  const possible = new Map<number, Candidate>();
  roster.lines.forEach((line, index) => {
    const found = shiftOf(line, slot);
    const candidate = found && candidateOf(line, index, found.shift, slot);
    if (!candidate) return;
    possible.set(index, candidate);
    if (found.sure) sure.set(index, candidate);
  });
  if (possible.size === 0) return [];
  for (const group of roster.groups()) {
    for (const candidate of agreeing(roster, group, possible)) sure.set(candidate.index, candidate);
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

/** A lasting change that a line shows; `sure` where it needs no neighbour to confirm it. */
function shiftOf(line: Line, slot: number): { shift: Shift; sure: boolean } | null {
  const levels = tlsLevels(line, slot);
  const shift = findShift(levels);
  if (shift) return { shift, sure: true };
  const likely = findShift(levels, 1);
  if (likely === null) return null;
  // The path's own round trip is measured apart from TLS: where it changed too, that is a second witness.
  const path = findShift(connectLevels(line, slot));
  return { shift: likely, sure: path !== null && path.effect / likely.effect >= 0.5 };
}

/** Null where the change, as single samples date it, is not as old as what is to be called lasting. */
function candidateOf(line: Line, index: number, shift: Shift, slot: number): Candidate | null {
  const end = (slot + 1) * SLOT;
  const from = Math.max(sinceOf(line) * SLOT, end - (shift.window + EARLIER) * SLOT);
  const onset = onsetOf(line.tls, from, shift.before, shift.effect);
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
