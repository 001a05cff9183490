import { ServiceError } from '#server/environment/errors.ts';

/**
 * Large bodies that are unpacked, judged and stored at once: one, and another while the first waits for the database. Each
 * takes some ms of the event loop at a time; of a whole fleet at once, a page would have to wait for all in each of its steps.
 */
export const STORED_AT_ONCE = 2;

/**
 * A page that is being made goes first: a body whose turn has come waits for it, at most so long (ms), for pages that come without
 * a pause. A moment's delay of a body costs nothing; a page has a person waiting for it.
 */
export const PAGES_FIRST_MS = 150;

type Pages = { underway: number; untilNone: (() => void)[] };

const pages: Pages = { underway: 0, untilNone: [] };

/** Notes that a page is being made, and returns what ends that. */
export function beginPage(): () => void {
  pages.underway += 1;
  return () => {
    pages.underway -= 1;
    if (pages.underway === 0) for (const resolve of pages.untilNone.splice(0)) resolve();
  };
}

async function letPagesPass(): Promise<void> {
  if (pages.underway === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const longest = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PAGES_FIRST_MS);
  });
  let pass: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
    pages.untilNone.push(pass);
  });
  await Promise.race([passed, longest]);
  clearTimeout(timer);
  const waiting = pages.untilNone.indexOf(pass);
  if (waiting >= 0) pages.untilNone.splice(waiting, 1);
}

/** What a request has of the turns. */
type Turn = { held: boolean; signal: AbortSignal };

let storing = 0;
const waiting: (() => void)[] = [];

/**
 * Runs `run`, which may `take` a turn to store, first come, first served; it ends with `run`. Who goes away while it waits
 * (`signal`) loses its place, and `take` throws `unavailable`.
 */
export async function takingTurns<T>(signal: AbortSignal, run: (take: () => Promise<void>) => Promise<T>): Promise<T> {
  const turn: Turn = { held: false, signal };
  try {
    return await run(() => take(turn));
  } finally {
    end(turn);
  }
}

async function take(turn: Turn): Promise<void> {
  const { signal } = turn;
  if (signal.aborted) throw gone();
  if (storing < STORED_AT_ONCE) storing += 1;
  else
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(gone());
      };
      waiting.push(begin);
      signal.addEventListener('abort', leave, { once: true });
    });
  turn.held = true;
  await letPagesPass();
}

function end(turn: Turn): void {
  if (!turn.held) return;
  turn.held = false;
  const next = waiting.shift();
  if (next) next();
  else storing -= 1;
}

const gone = () => new ServiceError('unavailable', 'The connection ended before the body was stored: send it again.');
