import type { X509Certificate } from 'node:crypto';
import type { FailureReason } from '../failure.ts';
import { hostsOf, nameFor } from './host-names.ts';

/** What is wrong with the server's certificate: the reason of a failure, and a sentence. */
export type IdentityProblem = { reason: FailureReason; message: string };

/** A verdict of OpenSSL: Node's name for it, which is `UNSPECIFIED` for most, and OpenSSL's own words. */
export type VerifyError = { code: string; words: string };

type Verdict = { reason: FailureReason; meaning: string };

/** OpenSSL's verdicts by Node's name for them, or by OpenSSL's words where Node has none. All others are `cert_invalid`. */
export const VERDICTS: Record<string, Verdict> = {
  CERT_HAS_EXPIRED: { reason: 'cert_expired', meaning: 'a certificate of the chain has expired' },
  CERT_NOT_YET_VALID: { reason: 'cert_not_yet_valid', meaning: 'a certificate of the chain is not valid yet' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: 'cert_self_signed', meaning: 'the certificate signed itself' },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: 'cert_untrusted', meaning: 'the chain ends in a root that is not trusted' },
  UNABLE_TO_GET_ISSUER_CERT: { reason: 'cert_untrusted', meaning: 'the trusted certificates lack a root' },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    reason: 'cert_untrusted',
    meaning: 'the chain ends in an issuer that is not trusted',
  },
  'EE certificate key too weak': { reason: 'cert_weak', meaning: "the certificate's key is too small" },
  'CA certificate key too weak': { reason: 'cert_weak', meaning: "an issuer's key is too small" },
  'CA signature digest algorithm too weak': {
    reason: 'cert_weak',
    meaning: 'an issuer signed with a digest that is too weak',
  },
  'permitted subtree violation': {
    reason: 'cert_invalid',
    meaning: 'a name of the certificate is outside of those that its issuer may certify',
  },
  'excluded subtree violation': {
    reason: 'cert_invalid',
    meaning: 'a name of the certificate is among those that its issuer must not certify',
  },
};

/**
 * Judges the certificate that TLS accepted blindly: the chain by OpenSSL's verdict, then the name. `ownRoots` says
 * that the roots are the user's. Null where all is well.
 */
export function identityProblem(
  { resumed, verifyError }: { resumed: boolean; verifyError: VerifyError | null },
  leaf: X509Certificate | undefined,
  name: string,
  ownRoots: boolean,
): IdentityProblem | null {
  // A resumed handshake sends no certificate; its session remembers the verdict on the one it began with.
  if (!leaf && resumed && !verifyError) return null;
  if (!leaf) return { reason: 'cert_invalid', message: 'the server sent no certificate' };
  if (verifyError) return chainProblem(verifyError, leaf, ownRoots);
  if (nameFor(leaf, name) !== null) return null;
  return {
    reason: 'cert_name_mismatch',
    message: nameMismatch(leaf, name).slice(0, 500),
  };
}

function chainProblem({ code, words }: VerifyError, leaf: X509Certificate, ownRoots: boolean): IdentityProblem {
  if (code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE') return loneLeafProblem(leaf, ownRoots);
  const said = code === 'UNSPECIFIED' ? words : code;
  const { reason, meaning } = VERDICTS[said] ?? {
    reason: 'cert_invalid',
    meaning: `the chain does not verify (${words})`,
  };
  return { reason, message: `${said}: ${meaning}` };
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
