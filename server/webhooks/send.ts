import type { Resolve } from './address-guard.ts';
import { failureOf } from './failure.ts';
import type { Answer, Outgoing } from './outgoing.ts';
import { postHttp } from './send-http.ts';
import { sendMail } from './send-mail.ts';

/** Longest attempt in milliseconds, from the look-up of the name to the last byte of the answer. */
export const TIMEOUT_MS = 20_000;

/** `answer` is null where none came; `error` then says why. */
export type Sent = { answer: Answer | null; error: string | null; durationMs: number };

/** How long an attempt may go on once its process was asked to end, in milliseconds. */
const STOP_GRACE_MS = 5_000;

/**
 * `signal` asks the process to end: what is under way then has a few seconds left. `allowPrivate` lets HTTP go to addresses
 * that are not public.
 */
export type SendOptions = { timeoutMs?: number; resolve?: Resolve; signal?: AbortSignal; allowPrivate?: boolean };

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
    const way = { signal: over.signal, resolve: options.resolve, allowPrivate: options.allowPrivate };
    return sent(await (outgoing.kind === 'http' ? postHttp(outgoing, way) : sendMail(outgoing, way)), null);
  } catch (error) {
    return sent(null, over.signal.aborted ? over.signal.reason.message : failureOf(error));
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    options.signal?.removeEventListener('abort', onStop);
  }
}
