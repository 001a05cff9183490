import { constants, type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { BitString } from 'asn1js';
import { type AlgorithmIdentifier, type Certificate, RSASSAPSSParams } from 'pkijs';
import { messageOf } from '../failure.ts';

/** The names of hash algorithms by their identifiers. */
export const DIGESTS: Record<string, string> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** How a signature is made: with a key of which kind, and over which digest (null: the algorithm has its own). */
type Scheme = { keys: readonly string[]; digest: string | null; pss?: true };

const RSA = ['rsa'];
const PSS_OID = '1.2.840.113549.1.1.10';
const SCHEMES: Record<string, Scheme> = {
  '1.2.840.113549.1.1.5': { keys: RSA, digest: 'sha1' },
  '1.2.840.113549.1.1.11': { keys: RSA, digest: 'sha256' },
  '1.2.840.113549.1.1.12': { keys: RSA, digest: 'sha384' },
  '1.2.840.113549.1.1.13': { keys: RSA, digest: 'sha512' },
  '1.2.840.10045.4.1': { keys: ['ec'], digest: 'sha1' },
  '1.2.840.10045.4.3.2': { keys: ['ec'], digest: 'sha256' },
  '1.2.840.10045.4.3.3': { keys: ['ec'], digest: 'sha384' },
  '1.2.840.10045.4.3.4': { keys: ['ec'], digest: 'sha512' },
  '1.3.101.112': { keys: ['ed25519'], digest: null },
  '1.3.101.113': { keys: ['ed448'], digest: null },
};

/** Bytes, and what somebody signed them with. */
type Signed = { bytes: ArrayBuffer | Uint8Array; algorithm: AlgorithmIdentifier; signature: BitString };
/** `unverified` is a sentence: why it cannot be told whether the signature is right. */
type SignatureVerdict = 'right' | 'wrong' | { unverified: string };

/** Whether the owner of the certificate signed the bytes. Never throws. */
export function signatureVerdict({ bytes, algorithm, signature }: Signed, signer: Certificate): SignatureVerdict {
  try {
    const scheme = schemeOf(algorithm);
    if (!scheme) return { unverified: `signatures of the algorithm ${algorithm.algorithmId} are not known here` };
    const key = keyOf(signer);
    if (!scheme.keys.includes(key.asymmetricKeyType ?? '')) return 'wrong';
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
    const given = signature.valueBlock.valueHexView;
    return verify(scheme.digest, new Uint8Array(bytes), scheme.pss ? { key, ...padding } : key, given)
      ? 'right'
      : 'wrong';
  } catch (error) {
    return { unverified: `the signature cannot be checked here: ${messageOf(error)}` };
  }
}

function schemeOf({ algorithmId, algorithmParams }: AlgorithmIdentifier): Scheme | null {
  if (algorithmId !== PSS_OID) return SCHEMES[algorithmId] ?? null;
  const { hashAlgorithm } = new RSASSAPSSParams({ schema: algorithmParams });
  const digest = DIGESTS[hashAlgorithm.algorithmId];
  return digest ? { keys: ['rsa', 'rsa-pss'], digest, pss: true } : null;
}

const keyOf = (certificate: Certificate): KeyObject =>
  new X509Certificate(Buffer.from(certificate.toSchema().toBER(false))).publicKey;
