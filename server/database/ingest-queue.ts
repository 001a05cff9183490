import { ServiceError } from '#server/environment/errors.ts';
import { Turns, Underway } from '#server/environment/queueing.ts';

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

const pages = new Underway();

/** Notes that a page is being made, and returns what ends that. */
export const beginPage = (): (() => void) => pages.begin();

const turns = new Turns(STORED_AT_ONCE);

/**
 * Runs `run`, which may `take` a turn to store, first come, first served; it ends with `run`. Who goes away while it waits
 * (`signal`) loses its place, and `take` throws `unavailable`.
 */
export async function takingTurns<T>(signal: AbortSignal, run: (take: () => Promise<void>) => Promise<T>): Promise<T> {
  let held = false;
  const take = async () => {
    held = await turns.take(signal);
    if (!held) throw gone();
    await pages.letPass(PAGES_FIRST_MS);
  };
  try {
    return await run(take);
  } finally {
    if (held) turns.end();
  }
}

const gone = () => new ServiceError('unavailable', 'The connection ended before the body was stored: send it again.');
