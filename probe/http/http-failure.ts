import { AnswerError } from '#contract/http1-answer.ts';
import type { Phase } from '#contract/vocabulary.ts';
import { codeOf, type FailureReason, inWords, messageOf, ownFault, ProbeFailure } from '../failure.ts';
import { lateRefusal } from '../tls/tls-failure.ts';

/** Names a failed exchange. `tlsError` is the first error of the TLS connection under it, which says more than HTTP's. */
export function httpFailure(phase: Phase, error: unknown, tlsError: Error | null): ProbeFailure {
  if (error instanceof ProbeFailure) return error;
  const cause = tlsError ?? error;
  const own = ownFault(cause);
  if (own) return new ProbeFailure(phase, own[0], own[1], inWords(own[0], cause));
  if (codeOf(cause) === 'ROUNDTRIP_LIMIT') {
    return new ProbeFailure(phase, 'http_too_large', 'target', messageOf(cause));
  }
  // Of an end of the connection TLS may know more.
  if (error instanceof AnswerError && (error.reason !== 'http_closed' || tlsError === null)) {
    return new ProbeFailure(phase, error.reason, 'target', error.message);
  }
  const refusal = phase === 'firstByte' ? lateRefusal(cause) : null;
  if (refusal) return refusal;
  const reason = reasonOf(error, cause);
  return new ProbeFailure(phase, reason, 'target', brokenOff(phase, reason) ?? messageOf(cause));
}

/** Node's words for a connection that broke off ("socket hang up", "aborted") don't say who did it, or when. */
function brokenOff(phase: Phase, reason: FailureReason): string | null {
  if (reason !== 'http_reset' && reason !== 'http_closed') return null;
  const how = reason === 'http_reset' ? 'the connection was reset' : 'the server ended the connection';
  return `${how} before ${phase === 'firstByte' ? 'it answered' : 'the answer was complete'}`;
}

function reasonOf(error: unknown, cause: unknown): FailureReason {
  const code = codeOf(error);
  if (code === 'ECONNRESET' || codeOf(cause) === 'ECONNRESET') {
    return cause instanceof Error && 'syscall' in cause ? 'http_reset' : 'http_closed';
  }
  if (code === 'EPIPE') return 'http_reset';
  return code === '' || error instanceof AnswerError ? 'http_closed' : 'http_error';
}
