import type { Failure } from '#contract/result.ts';
import type { Phase } from '#contract/vocabulary.ts';
import { fitting } from './format.ts';

export type FailureReason = Failure['reason'];
export type FailureSource = Failure['source'];

/** Thrown inside the engine alone; `measure` turns it into the Result's failure. */
export class ProbeFailure extends Error {
  readonly failure: Failure;

  constructor(phase: Phase, reason: FailureReason, source: FailureSource, message: string) {
    super(message);
    this.failure = { phase, reason, source, message: fitting(message, 1_000) };
  }
}

type Verdict = [FailureReason, FailureSource];

/** Faults of the machine we run on, in whatever phase they come up. */
const OWN_FAULTS: Record<string, Verdict> = {
  EMFILE: ['prober_file_limit', 'prober'],
  ENFILE: ['prober_file_limit', 'prober'],
  ENOBUFS: ['prober_overloaded', 'prober'],
  ENOMEM: ['prober_overloaded', 'prober'],
  ENETUNREACH: ['prober_offline', 'prober'],
  ENETDOWN: ['prober_offline', 'prober'],
  EADDRNOTAVAIL: ['prober_offline', 'prober'],
  EACCES: ['prober_fault', 'prober'],
  EPERM: ['prober_fault', 'prober'],
};

const DNS: Record<string, Verdict> = {
  ENOTFOUND: ['dns_not_found', 'target'],
  ENODATA: ['dns_no_address', 'target'],
  EAI_NODATA: ['dns_no_address', 'target'],
  EBADNAME: ['dns_not_found', 'target'],
  EAI_NONAME: ['dns_not_found', 'target'],
  ETIMEOUT: ['dns_timeout', 'resolver'],
  EAI_AGAIN: ['dns_timeout', 'resolver'],
  EREFUSED: ['dns_refused', 'resolver'],
  ECONNREFUSED: ['dns_refused', 'resolver'],
  ESERVFAIL: ['dns_server_failure', 'resolver'],
};

const TCP: Record<string, Verdict> = {
  ECONNREFUSED: ['tcp_refused', 'target'],
  ECONNRESET: ['tcp_reset', 'target'],
  ETIMEDOUT: ['tcp_timeout', 'target'],
  EHOSTUNREACH: ['tcp_unreachable', 'target'],
  EHOSTDOWN: ['tcp_unreachable', 'target'],
};

/** The code of a Node error, or '' where there is none. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** The readable text of an error: for OpenSSL's its reason, without the position in its source. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && 'reason' in error && typeof error.reason === 'string') return error.reason;
  return error instanceof Error ? error.message : String(error);
}

/** The verdict on an error that is the prober's own fault in any phase, or null. */
export function ownFault(error: unknown): Verdict | null {
  return OWN_FAULTS[codeOf(error)] ?? null;
}

/** What system errors mean, in words; others keep their own text. */
const WORDS: Partial<Record<FailureReason, string>> = {
  dns_not_found: 'there is no such name',
  dns_no_address: 'the name has no address of the kind that was asked for',
  dns_timeout: 'the resolver did not answer',
  dns_server_failure: 'the resolver could not find out',
  tcp_refused: 'nothing listens at this address and port',
  tcp_reset: 'the connection was reset as soon as it was made',
  tcp_timeout: 'no answer from this address',
  tcp_unreachable: 'the network says that this address cannot be reached',
  tls_reset: 'the connection was reset during the handshake',
  tls_timeout: 'the connection was given up by the network during the handshake',
  prober_offline: 'this machine has no way to this address',
  prober_file_limit: 'this process has reached its limit of open files and sockets',
};

/** A system error in words, followed by its own text. */
export function inWords(reason: FailureReason, error: unknown): string {
  const words = WORDS[reason];
  return words === undefined ? messageOf(error) : `${words} (${messageOf(error)})`;
}

export function dnsFailure(error: unknown): ProbeFailure {
  const [reason, source] = ownFault(error) ?? DNS[codeOf(error)] ?? (['dns_error', 'resolver'] as Verdict);
  return new ProbeFailure('dns', reason, source, refusalInWords(reason, error) ?? inWords(reason, error));
}

/** A resolver that says no, and one that is not there. */
function refusalInWords(reason: FailureReason, error: unknown): string | null {
  if (reason !== 'dns_refused') return null;
  const said =
    codeOf(error) === 'EREFUSED' ? 'the resolver refuses to answer us' : 'no resolver listens at its address';
  return `${said} (${messageOf(error)})`;
}

export function tcpFailure(error: unknown): ProbeFailure {
  const [reason, source] = ownFault(error) ?? TCP[codeOf(error)] ?? (['tcp_error', 'target'] as Verdict);
  return new ProbeFailure('tcp', reason, source, inWords(reason, error));
}
