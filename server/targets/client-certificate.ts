import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ClientCertificate, ProbeSettings } from '#contract/target.ts';
import { invalidField } from '#server/environment/errors.ts';

const FIELD = 'settings.clientCertificate';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/**
 * The client certificate as it is to be stored. A key of null keeps the one that is stored with the same certificate.
 * Throws `invalid`, naming the part, where a part cannot be read or the two don't belong together.
 */
export function usableClientCertificate(
  given: ClientCertificate | null,
  stored: ClientCertificate | null,
): ClientCertificate | null {
  if (given === null) return null;
  const certPem = unixLines(given.certPem);
  const certificate = readCertificates(certPem);
  if (given.keyPem === null) return { certPem, keyPem: storedKey(certPem, stored) };
  const keyPem = unixLines(given.keyPem);
  if (!certificate.checkPrivateKey(readKey(keyPem))) {
    throw invalidField(`${FIELD}.keyPem`, 'does not belong to the certificate (the first in certPem)');
  }
  return { certPem, keyPem };
}

const KEY_TYPE = { RSA: 'rsa', ECDSA: 'ec' } as const;

/**
 * Refuses a pinned kind of certificate that the client's own is not of: one list of signature algorithms serves both ends
 * of a handshake, so the client could not show it. `certPem` has been found usable. Throws `invalid`.
 */
export function refuseOtherKind(sigalgs: ProbeSettings['sigalgs'], certPem: string): void {
  const kinds = sigalgs === null ? [] : sigalgs === 'both' ? (['RSA', 'ECDSA'] as const) : [sigalgs];
  const own = new X509Certificate(certPem).publicKey.asymmetricKeyType;
  if (kinds.every((kind) => KEY_TYPE[kind] === own)) return;
  throw invalidField('settings.sigalgs', `cannot be ${sigalgs} with this client certificate, which is of another kind`);
}

function storedKey(certPem: string, stored: ClientCertificate | null): string {
  if (stored?.keyPem && stored.certPem === certPem) return stored.keyPem;
  const message = stored ? 'is needed with another certificate: the stored key is that of the old one' : 'is needed';
  throw invalidField(`${FIELD}.keyPem`, message);
}

/** The leaf, which comes first. */
function readCertificates(certPem: string): X509Certificate {
  if (holdsKey(certPem)) throw invalidField(`${FIELD}.certPem`, 'holds a private key, which belongs into keyPem');
  const blocks = certPem.match(CERTIFICATE) ?? [];
  const [leaf] = blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw invalidField(`${FIELD}.certPem`, `cannot be read: certificate ${index + 1} is broken`);
    }
  });
  if (!leaf) throw invalidField(`${FIELD}.certPem`, 'holds no certificate in PEM');
  return leaf;
}

function readKey(keyPem: string) {
  if (!holdsKey(keyPem)) throw invalidField(`${FIELD}.keyPem`, 'holds no private key in PEM');
  if (/-----BEGIN ENCRYPTED|Proc-Type: *4, *ENCRYPTED/.test(keyPem)) {
    throw invalidField(`${FIELD}.keyPem`, 'is encrypted: probers cannot ask for a passphrase, take it off first');
  }
  try {
    return createPrivateKey(keyPem);
  } catch {
    throw invalidField(`${FIELD}.keyPem`, 'cannot be read');
  }
}

/** Whether a text holds a private key, which no field but `keyPem` keeps to itself. */
export const holdsKey = (pem: string) => KEY.test(pem);

/** As one writer would have it: forms send other ends of lines than files have. */
const unixLines = (pem: string) => `${pem.replace(/\r\n?/g, '\n').trim()}\n`;
