import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ClientCertificate } from '#contract/target.ts';

/** Certificate (with its chain) and private key in PEM, as `createSecureContext` takes them. */
export type ClientIdentity = { cert: string; key: string };

const KEY_TYPE = { RSA: 'rsa', ECDSA: 'ec' } as const;

/**
 * The two parts of a client certificate once they fit. Throws a sentence that names the part that is wrong, and where
 * the handshake is pinned to certificates of another kind: OpenSSL has one list of signature algorithms for both ends, so
 * that it would keep the certificate back, and the server would be blamed for refusing us.
 */
export function clientIdentityOf(
  { certPem, keyPem }: ClientCertificate,
  pinned: keyof typeof KEY_TYPE | null,
): ClientIdentity {
  const certificate = readCertificate(certPem);
  if (keyPem === null) throw new Error('the client certificate comes without its private key (keyPem)');
  if (!certificate.checkPrivateKey(readKey(keyPem))) {
    throw new Error('the client key (keyPem) does not belong to the client certificate (certPem)');
  }
  if (pinned !== null && certificate.publicKey.asymmetricKeyType !== KEY_TYPE[pinned]) {
    throw new Error(`a handshake pinned to ${pinned} (sigalgs) cannot show a client certificate of another kind`);
  }
  return { cert: certPem, key: keyPem };
}

function readCertificate(certPem: string): X509Certificate {
  if (!certPem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('the client certificate (certPem) holds no PEM certificate');
  }
  try {
    return new X509Certificate(certPem);
  } catch {
    throw new Error('the client certificate (certPem) cannot be read');
  }
}

function readKey(keyPem: string): KeyObject {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(keyPem)) {
    throw new Error('the client key (keyPem) holds no PEM private key');
  }
  // A prober cannot ask for a passphrase.
  if (/-----BEGIN ENCRYPTED|Proc-Type: *4, *ENCRYPTED/.test(keyPem)) {
    throw new Error('the client key (keyPem) is encrypted; take its passphrase off first');
  }
  try {
    return createPrivateKey(keyPem);
  } catch {
    throw new Error('the client key (keyPem) cannot be read');
  }
}
