// The browser's side of a server that is away for a while: restarted, redeployed, or behind a network that is cut. Left
// to itself, a page that asks for its next state then becomes the browser's error page, and never comes back.

/**
 * Since when the server has not answered, since when it has answered that its database is slow or away, and when it made what is
 * shown; ms since 1970, null where that is not so.
 */
export type Connection = { lostAt: number | null; slowAt: number | null; figuresAt: number | null };

/**
 * Header with a word that is made for one request. What stands for a page which the database kept from being made says the word
 * again, and nothing else does: no content of a page knows it.
 */
export const UNAVAILABLE_WORD = 'roundtrip-unavailable-word';
/** Waits (ms) before such a page is asked for again. */
const UNAVAILABLE_MS = 5_000;

/** The longest that a server's word that it serves is waited for. */
const HEALTH_TIMEOUT_MS = 3_000;
/** Waits between two questions while it is away: the last goes on. */
const BACK_OFF_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
/** How often one request of a page is made in all, each time after the server has said that it serves. */
const MOST_TRIES = 3;
/** What stands before a server says so while that is away; our own server gives no page with these. */
const GATEWAY_STATUSES = new Set([502, 503, 504]);

export const CONNECTED: Connection = { lostAt: null, slowAt: null, figuresAt: null };
let connection = CONNECTED;
const listeners = new Set<() => void>();

export const connectionNow = (): Connection => connection;

/** Calls back after each change; returns how to stop that. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: Partial<Connection>): void {
  connection = { ...connection, ...next };
  for (const listener of listeners) listener();
}

/** Notes when the server made what is shown (ms); null on a page that shows nothing that goes on. */
export const noteFigures = (figuresAt: number | null): void => change({ figuresAt });

const UNSENT_KEY = 'roundtrip-unsent';

/** Notes that a form went to a build that is gone, for the page after the reload. */
export const noteUnsent = (): void => sessionStorage.setItem(UNSENT_KEY, '1');

/** Whether a form was lost so; true once. */
export function takeUnsent(): boolean {
  const unsent = sessionStorage.getItem(UNSENT_KEY) !== null;
  sessionStorage.removeItem(UNSENT_KEY);
  return unsent;
}

let asking: Promise<void> | null = null;

/** Resolves once the server says that it serves: at once as a rule, else as soon as it is back. One question for all. */
export function whenServing(): Promise<void> {
  asking ??= askUntilServing().finally(() => {
    asking = null;
  });
  return asking;
}

async function askUntilServing(): Promise<void> {
  for (let tries = 0; !(await isServing()); tries += 1) {
    if (connection.lostAt === null) change({ lostAt: Date.now() });
    await pauseOrHint(BACK_OFF_MS[Math.min(tries, BACK_OFF_MS.length - 1)] ?? 0);
  }
  if (connection.lostAt !== null) change({ lostAt: null });
}

/** A proxy's own page is no answer: only the server says `{"status": "ok"}`. */
async function isServing(): Promise<boolean> {
  try {
    const answer = await fetch('/api/health', { cache: 'no-store', signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    return answer.ok && ((await answer.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}

/** Waits, less long where the browser finds a network again or is looked at again. A hidden page does not ask. */
function pauseOrHint(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(), ms);
    function done(event?: Event) {
      if (document.hidden && event?.type !== 'online') return;
      clearTimeout(timer);
      removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      resolve();
    }
    addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
  });
}

/**
 * Makes the pages' own requests (of a link, a refresh, a form) outlive a server that is away: they wait for it, and the
 * page stays as it is. A form is sent once, after the server has said that it serves: whether one that was cut off was
 * carried out is unknown. Returns how to undo it.
 */
export function guardPageRequests(): () => void {
  const plain = window.fetch;
  window.fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    if (headers.has('next-action')) {
      await whenServing();
      return await plain(input, init);
    }
    if (!headers.has('rsc')) return plain(input, init);
    // Browsers have no `crypto.randomUUID` without TLS.
    const word = `unavailable-${crypto.getRandomValues(new BigUint64Array(2)).join('-')}`;
    headers.set(UNAVAILABLE_WORD, word);
    return await persistent(() => wholeAnswer(plain(input, { ...init, headers })), word, init?.signal);
  };
  return () => {
    window.fetch = plain;
  };
}

/** What stands for a page that could not be made is no answer: the page before it stays, with its figures, until there is one. */
async function persistent(
  ask: () => Promise<Response>,
  word: string,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await ask();
      if ((await answer.clone().text()).includes(word)) {
        signal?.throwIfAborted();
        if (connection.slowAt === null) change({ slowAt: Date.now() });
        await pauseOrHint(UNAVAILABLE_MS);
        tries = 0;
        continue;
      }
      if (connection.slowAt !== null) change({ slowAt: null });
      if (tries >= MOST_TRIES || !GATEWAY_STATUSES.has(answer.status)) return answer;
    } catch (error) {
      if (tries >= MOST_TRIES || signal?.aborted) throw error;
    }
    await whenServing();
  }
}

/** Read to its end: one that is cut off in the middle has to be asked for again, before anything is made of it. */
async function wholeAnswer(pending: Promise<Response>): Promise<Response> {
  const answer = await pending;
  const { status, statusText, headers, url, redirected } = answer;
  const whole = new Response(await answer.arrayBuffer(), { status, statusText, headers });
  return Object.defineProperties(whole, { url: { value: url }, redirected: { value: redirected } });
}
