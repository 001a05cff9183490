import { AddressError, type Resolve } from './address-guard.ts';
import type { Answer, Outgoing } from './outgoing.ts';
import { postHttp } from './send-http.ts';
import { sendMail } from './send-mail.ts';

/** Longest attempt in milliseconds, from the look-up of the name to the last byte of the answer. */
export const TIMEOUT_MS = 20_000;

/** `answer` is null where none came; `error` then says why. */
export type Sent = { answer: Answer | null; error: string | null; durationMs: number };

/** How long an attempt may go on once its process was asked to end, in milliseconds. */
const STOP_GRACE_MS = 5_000;

/** `signal` asks the process to end: what is under way then has a few seconds left. */
export type SendOptions = { timeoutMs?: number; resolve?: Resolve; signal?: AbortSignal };

/** Makes one attempt. Never throws: what goes wrong is the attempt's error. */
export async function send(outgoing: Outgoing, options: SendOptions = {}): Promise<Sent> {
  const started = performance.now();
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs);
  let grace: NodeJS.Timeout | undefined;
  const onStop = () => {
    grace = setTimeout(() => over.abort(new Error('the sending process was asked to end')), STOP_GRACE_MS);
  };
  options.signal?.addEventListener('abort', onStop, { once: true });
  const sent = (answer: Answer | null, error: string | null): Sent => ({
    answer,
    error,
    durationMs: Math.round((performance.now() - started) * 10) / 10,
  });
  try {
    const way = { signal: over.signal, resolve: options.resolve };
    return sent(await (outgoing.kind === 'http' ? postHttp(outgoing, way) : sendMail(outgoing, way)), null);
  } catch (error) {
    return sent(null, over.signal.aborted ? over.signal.reason.message : reasonOf(error));
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    options.signal?.removeEventListener('abort', onStop);
  }
}

/** Node hides the reasons of several tries in one error that says nothing. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressError) return error.message;
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message;
  return error instanceof Error ? error.message || error.name : String(error);
}
