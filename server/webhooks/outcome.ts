import type { DeliveryStatus } from '#contract/delivery.ts';
import { shownLocation } from './masks.ts';
import type { Answer, Format, Outgoing } from './outgoing.ts';
import { nextAttemptAt, retryAfterSeconds, slowUntil } from './schedule.ts';
import type { Sent } from './send.ts';

/** What an attempt means for its message and its endpoint. `error` is null where the receiver took the message. */
export type Outcome = {
  status: DeliveryStatus;
  error: string | null;
  nextAt: Date | null;
  failures: number;
  slowUntil: Date | null;
  /** Why the endpoint gets nothing any more; null where it goes on. */
  disable: string | null;
};

export type Judging = {
  kind: Outgoing['kind'];
  verdict: Format['verdict'];
  /** Attempts so far, this one among them. */
  attempts: number;
  /** Failures of the endpoint in a row before this attempt. */
  failures: number;
  now: Date;
  /** From 0 to 1: the jitter of the next pause. */
  chance: number;
};

/** Judges one attempt. Pure. */
export function judge(sent: Sent, judging: Judging): Outcome {
  const error = errorOf(sent, judging);
  if (error === null) {
    return { status: 'delivered', error, nextAt: null, failures: 0, slowUntil: null, disable: null };
  }
  const { attempts, now, chance } = judging;
  const failures = judging.failures + 1;
  const status = judging.kind === 'http' ? (sent.answer?.status ?? null) : null;
  if (status === 410) {
    const disable = 'The receiver answered 410 (gone): it wants no more messages.';
    return { status: 'failed', error, nextAt: null, failures, slowUntil: null, disable };
  }
  const retryAfter = retryAfterSeconds(sent.answer?.headers['retry-after'], now);
  const nextAt = nextAttemptAt(attempts, now, retryAfter, chance);
  return {
    status: nextAt === null ? 'failed' : 'pending',
    error,
    nextAt,
    failures,
    slowUntil: slowUntil(status, failures, now, retryAfter),
    disable: null,
  };
}

/** A message that cannot be written in its format is over: trying again would not help. The endpoint has no part in it. */
export function unwritable(message: string, failures: number): Outcome {
  return { status: 'failed', error: message, nextAt: null, failures, slowUntil: null, disable: null };
}

function errorOf({ answer, error }: Sent, { verdict }: Judging): string | null {
  if (answer === null) return error ?? 'no answer';
  if (answer.status >= 200 && answer.status < 300) return verdict?.(answer) ?? null;
  return statusError(answer);
}

function statusError({ status, headers }: Answer): string {
  if (status < 300 || status > 399) return `answered ${status}`;
  const target = headers.location ? ` to ${shownLocation(headers.location).slice(0, 200)}` : '';
  return `answered ${status}, a redirect${target}; redirects are not followed`;
}
