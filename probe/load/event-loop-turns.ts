import { workBegins, workEnded } from './lateness.ts';

type Job = () => void;

let waiting: Job[] = [];
let next = 0;
let scheduled = false;

/**
 * Runs a piece of work in a turn of the event loop of its own, in order. Between two turns the loop looks at all
 * sockets, so that however much cryptography waits, an arrival is stamped at most one piece of work late.
 */
export function inOwnTurn(job: Job): void {
  waiting.push(job);
  if (scheduled) return;
  scheduled = true;
  setImmediate(runOne);
}

function runOne(): void {
  const job = waiting[next++];
  if (next < waiting.length) setImmediate(runOne);
  else scheduled = false;
  // Drops the jobs done without moving the others at every turn.
  if (!scheduled || next >= 1_024) {
    waiting = waiting.slice(next);
    next = 0;
  }
  workBegins(performance.now());
  job?.();
  workEnded();
}
