import type { DeliveryStatus } from '#contract/delivery.ts';
import { LEASE_SECONDS } from './lease.ts';
import { shownLocation } from './masking.ts';
import type { Answer, Format, Outgoing } from './outgoing.ts';
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
    const disable = 'The receiver answered 410 (gone): it accepts no further messages.';
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

/** Pauses before each attempt after the one before it, in seconds: Standard Webhooks' schedule. The first is at once. */
export const RETRY_SECONDS = [
  0,
  5,
  5 * 60,
  30 * 60,
  2 * 3_600,
  5 * 3_600,
  10 * 3_600,
  14 * 3_600,
  20 * 3_600,
  24 * 3_600,
] as const;

/** A message ends as failed once so many of its attempts were cut off by the end of their process. */
export const MAX_CUT_OFFS = 50;
/** So many cut-offs bring a message back after a lease; then each pause is twice the one before, up to the longest. */
const PROMPT_CUT_OFFS = 5;
const LONGEST_CUT_OFF_PAUSE_SECONDS = 3_600;

/** After how many seconds a message comes back whose attempt is cut off, after `cutOffs` before it: about 41 hours in all. */
export function cutOffPauseSeconds(cutOffs: number): number {
  const doublings = Math.min(Math.max(0, cutOffs + 1 - PROMPT_CUT_OFFS), 20);
  return Math.min(LEASE_SECONDS * 2 ** doublings, LONGEST_CUT_OFF_PAUSE_SECONDS);
}

/** A pause is longer by up to this share of itself, by chance, so that what failed together does not return together. */
export const JITTER = 0.1;

/** The longest that a `retry-after` can hold a message or an endpoint back, in seconds. */
export const MAX_RETRY_AFTER_SECONDS = 3_600;

/** How long an endpoint gets nothing after its first 429, 502 or 504; doubled with each failure more, up to the longest. */
const SLOW_SECONDS = 10;
const LONGEST_SLOW_SECONDS = 600;
/** Other failures hold an endpoint back only once so many have come one after the other, and briefly. */
const FAILURES_BORNE = 3;
const PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 60;

/** When a message is tried again after `attempts` have failed; null where that was the last. `chance` is from 0 to 1. */
export function nextAttemptAt(attempts: number, now: Date, retryAfter: number | null, chance: number): Date | null {
  const pause = RETRY_SECONDS[attempts];
  if (pause === undefined) return null;
  const seconds = Math.max(pause * (1 + JITTER * chance), retryAfter ?? 0);
  return new Date(now.getTime() + Math.round(seconds * 1_000));
}

/** The status asks for less traffic. */
const asksForLess = (status: number | null) => status === 429 || status === 502 || status === 504;

/**
 * Until when an endpoint gets nothing after `failures` in a row, the last with this status; null where it goes on at once. An
 * endpoint that is down is then tried with one message now and then, not with all that wait.
 */
export function slowUntil(status: number | null, failures: number, now: Date, retryAfter: number | null): Date | null {
  const pause = asksForLess(status)
    ? Math.min(SLOW_SECONDS * 2 ** Math.min(failures - 1, 20), LONGEST_SLOW_SECONDS)
    : failures < FAILURES_BORNE
      ? 0
      : Math.min(PAUSE_SECONDS * 2 ** Math.min(failures - FAILURES_BORNE, 20), LONGEST_PAUSE_SECONDS);
  const seconds = Math.max(pause, retryAfter ?? 0);
  return seconds === 0 ? null : new Date(now.getTime() + seconds * 1_000);
}

/** The seconds that a `retry-after` header asks for, given as seconds or as a date; null where it says nothing usable. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  const value = header?.trim();
  if (!value) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now.getTime()) / 1_000;
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}
