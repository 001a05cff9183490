import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { FailureReason } from '../failure.ts';
import { hostsOf, nameFor } from './host-names.ts';

/** What is wrong with the server's certificate: the reason of a failure, and a sentence. */
export type IdentityProblem = { reason: FailureReason; message: string };

const BY_VERIFY_ERROR: Record<string, FailureReason> = {
  CERT_HAS_EXPIRED: 'cert_expired',
  CERT_NOT_YET_VALID: 'cert_not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'cert_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'cert_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'cert_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'cert_untrusted',
  CERT_UNTRUSTED: 'cert_untrusted',
  CERT_REJECTED: 'cert_untrusted',
  CERT_REVOKED: 'cert_revoked',
  EE_KEY_TOO_SMALL: 'cert_weak',
  CA_KEY_TOO_SMALL: 'cert_weak',
  CA_MD_TOO_WEAK: 'cert_weak',
};

/**
 * Judges the certificate that TLS accepted blindly: the chain by OpenSSL's verdict, then the name. `ownRoots` says
 * that the roots are the user's. Null where all is well.
 */
export function identityProblem(
  socket: TLSSocket,
  leaf: X509Certificate | undefined,
  name: string,
  ownRoots: boolean,
): IdentityProblem | null {
  // A resumed handshake sends no certificate; its session remembers the verdict on the one it began with.
  if (!leaf && socket.isSessionReused() && socket.authorized) return null;
  if (!leaf) return { reason: 'cert_invalid', message: 'the server sent no certificate' };
  const verdict = verifyErrorOf(socket);
  if (verdict) return chainProblem(verdict, leaf, ownRoots);
  if (nameFor(leaf, name) !== null) return null;
  return {
    reason: 'cert_name_mismatch',
    message: nameMismatch(leaf, name).slice(0, 500),
  };
}

/** Node says the code as a string where its types promise an Error. */
function verifyErrorOf(socket: TLSSocket): string | null {
  if (socket.authorized) return null;
  const verdict: unknown = socket.authorizationError;
  return typeof verdict === 'string' ? verdict : verdict instanceof Error ? verdict.message : null;
}

function chainProblem(verdict: string, leaf: X509Certificate, ownRoots: boolean): IdentityProblem {
  if (verdict === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE') return loneLeafProblem(leaf, ownRoots);
  const reason = BY_VERIFY_ERROR[verdict] ?? 'cert_invalid';
  return { reason, message: `${verdict}: ${MEANING[verdict] ?? 'the chain does not verify'}` };
}

/**
 * A leaf alone, whose issuer is unknown: its intermediate was left out, or its issuer is not trusted. Public issuers
 * name the URL of their certificate in the leaf, and a user who gives roots expects the chain to reach them.
 */
function loneLeafProblem(leaf: X509Certificate, ownRoots: boolean): IdentityProblem {
  const issuer = leaf.issuer.replaceAll('\n', ', ');
  const incomplete = ownRoots || (leaf.infoAccess ?? '').includes('CA Issuers');
  return incomplete
    ? { reason: 'cert_incomplete_chain', message: `the server did not send the certificate of ${issuer}` }
    : { reason: 'cert_untrusted', message: `${issuer}, which issued the certificate, is not trusted` };
}

function nameMismatch(leaf: X509Certificate, name: string): string {
  const hosts = hostsOf(leaf);
  if (hosts.length > 0) return `the certificate is not for ${name} but for ${hosts.join(', ')}`;
  const subject = leaf.subject.replaceAll('\n', ', ');
  return `the certificate is for no host (it has no subject alternative name that is one), so not for ${name}: ${subject}`;
}

const MEANING: Record<string, string> = {
  CERT_HAS_EXPIRED: 'a certificate of the chain has expired',
  CERT_NOT_YET_VALID: 'a certificate of the chain is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate signed itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'the chain ends in a root that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the chain ends in an issuer that is not trusted',
  EE_KEY_TOO_SMALL: "the certificate's key is too small",
  CA_KEY_TOO_SMALL: "an issuer's key is too small",
  CA_MD_TOO_WEAK: 'an issuer signed with a digest that is too weak',
};
