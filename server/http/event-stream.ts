import { authorise, type Caller, identify, refuseBadKey } from '#server/access/access.ts';
import { ServiceError } from '#server/environment/errors.ts';

// Server-sent events: what all streams have in common. A stream is a generator of texts, which is asked for the next one when its reader
// has room for it; what it waits for is its own affair. Here it gets its place among others, its signs of life, and its end: with its
// client, with its caller's access, with the process, or as one that cannot keep up.

/** Most streams that a process serves at once, and that one key, session or (without either) address has. */
export const MAX_STREAMS = 400;
export const MAX_STREAMS_A_CALLER = 20;
/** A stream without an event says that it is there so often, ms; as often it is looked whether its caller may still read. */
const HEARTBEAT_MS = 20_000;
const RETRY_SECONDS = 15;

/** The reader of a stream took too little of it; its connection breaks. */
export class CutOff extends Error {
  override readonly name = 'CutOff';
}

/** What a stream gets: `signal` is aborted as it ends, `cutOff` ends it at once, whatever its reader has not taken. */
export type Streaming = { after: string | null; signal: AbortSignal; cutOff: () => void };

/** One event. Without a name and data it notes its id alone, from which a reader goes on. */
export const eventText = (id: number | string, name?: string, data?: unknown) =>
  `id: ${id}\n${name === undefined ? '' : `event: ${name}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n`}\n`;

type Stream = { by: string; end: (error?: Error) => void };

const streams = new Set<Stream>();
let ended = false;

/** Ends all streams in order, now and from now on: the process stops. */
export function endStreams(): void {
  ended = true;
  for (const { end } of streams) end();
}

/** Answers with the events that `follow` gives. Throws what it throws, and `rate_limited` where too many streams are open. */
export async function eventStream(
  { request, caller }: { request: Request; caller: Caller },
  follow: (streaming: Streaming) => Promise<AsyncGenerator<string, void>>,
): Promise<Response> {
  // Not the request's own signal: once the request is no longer referenced, Node does not pass on that its client has gone.
  const gone = new AbortController();
  const { signal } = gone;
  const stream: Stream = { by: placeFor(caller), end: () => gone.abort() };
  streams.add(stream);
  signal.addEventListener('abort', () => streams.delete(stream));
  if (ended) gone.abort();
  const cutOff = () => stream.end(new CutOff('the reader of a stream of events does not keep up'));
  const events = await follow({ after: request.headers.get('last-event-id'), signal, cutOff }).catch((error) => {
    gone.abort();
    throw error;
  });
  const encoder = new TextEncoder();
  let next: ReturnType<typeof events.next> | undefined;
  let lookedAt = performance.now();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      stream.end = (error) => {
        if (signal.aborted) return;
        gone.abort();
        if (error) controller.error(error);
        else controller.close();
        void events.return();
      };
      if (signal.aborted) controller.close();
    },
    async pull(controller) {
      next ??= events.next();
      const come = await Promise.race([next, untilHeartbeat(next)]).catch((error: Error) => stream.end(error));
      if (performance.now() - lookedAt >= HEARTBEAT_MS) {
        if (!(await mayRead(request))) stream.end();
        lookedAt = performance.now();
      }
      if (signal.aborted) return;
      if (come) next = undefined;
      if (come?.done) return stream.end();
      controller.enqueue(encoder.encode(come?.value ?? ': \n\n'));
    },
    async cancel() {
      gone.abort();
      await events.return();
    },
  });
  // Neither held back by a proxy nor by compression.
  const sent = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8', ...sent } });
}

/** By whom the place is taken. */
function placeFor({ session, limitBy }: Caller): string {
  const by = session ? `session:${session.id}` : limitBy;
  const most = (n: number) => `At most ${n} streams of events are open at once`;
  const own = [...streams].filter((stream) => stream.by === by).length;
  if (own >= MAX_STREAMS_A_CALLER)
    throw new ServiceError('rate_limited', `${most(MAX_STREAMS_A_CALLER)} for one caller.`, [], RETRY_SECONDS);
  if (streams.size >= MAX_STREAMS) throw new ServiceError('rate_limited', `${most(MAX_STREAMS)}.`, [], RETRY_SECONDS);
  return by;
}

/** Resolves to nothing after a time without the next event. */
async function untilHeartbeat(next: Promise<unknown>): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, HEARTBEAT_MS);
  next.then(
    () => clearTimeout(timer),
    () => clearTimeout(timer),
  );
  return await promise;
}

/** Whether a caller who might read still may: keys are revoked, sessions end. While the database is away nobody is sent away. */
async function mayRead(request: Request): Promise<boolean> {
  try {
    const caller = await identify(request);
    refuseBadKey(caller);
    authorise(caller, 'read', request);
    return true;
  } catch (error) {
    return !(error instanceof ServiceError && (error.code === 'unauthorised' || error.code === 'forbidden'));
  }
}
