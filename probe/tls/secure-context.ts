import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { ProbeSettings } from '#contract/target.ts';
import { BoundedCache, sha256Of } from '../bounded-cache.ts';
import { clientIdentityOf } from '../certificate/client-identity.ts';

/** Signature algorithms that pin the kind of certificate: a server that has both then sends this one. */
const SIGALGS = {
  RSA: 'rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:rsa_pkcs1_sha256:rsa_pkcs1_sha384:rsa_pkcs1_sha512',
  ECDSA: 'ecdsa_secp256r1_sha256:ecdsa_secp384r1_sha384:ecdsa_secp521r1_sha512',
} as const;

/**
 * Certificate compression (RFC 8879) as browsers offer it: Chromium brotli, Firefox zlib, brotli and zstd, Safari zlib. The
 * server chooses; Chromium's goes first.
 */
const COMPRESSIONS = ['brotli', 'zlib', 'zstd'] as const;

const contexts = new BoundedCache<SecureContext>(64);
/** Settings are never changed in place, so that the same object has the same context. */
const contextBySettings = new WeakMap<ProbeSettings, SecureContext>();

/**
 * The TLS settings of a target, made once: reading roots costs more than a handshake. Throws a sentence where caPem is no
 * PEM, or the client certificate cannot be used.
 */
export function secureContextOf(settings: ProbeSettings): SecureContext {
  const known = contextBySettings.get(settings);
  if (known) return known;
  const context = contexts.get(keyOf(settings), () => makeContext(settings));
  contextBySettings.set(settings, context);
  return context;
}

/** Hashes stand for the long and the secret parts. */
function keyOf(settings: ProbeSettings): string {
  const { tlsVersion, sigalgs, caPem, clientCertificate: client } = settings;
  const identity = client && `${digest(client.certPem)}+${client.keyPem === null ? '' : digest(client.keyPem)}`;
  return [tlsVersion, sigalgs, offersCompression(settings), caPem && digest(caPem), identity].join('|');
}

/** TLS 1.3 alone has it, and Node refuses it beside a lower version. */
const offersCompression = ({ certificateCompression = true, tlsVersion }: ProbeSettings): boolean =>
  certificateCompression && tlsVersion !== '1.2';

const digest = (text: string) => sha256Of(Buffer.from(text));

function makeContext(settings: ProbeSettings): SecureContext {
  const { tlsVersion, sigalgs, caPem, clientCertificate } = settings;
  if (caPem !== null && !caPem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('the trusted roots (caPem) hold no PEM certificate');
  }
  const pinned = sigalgs === 'both' ? null : sigalgs;
  return createSecureContext({
    minVersion: tlsVersion === '1.3' ? 'TLSv1.3' : 'TLSv1.2',
    maxVersion: tlsVersion === '1.2' ? 'TLSv1.2' : 'TLSv1.3',
    // As browsers: what a server without RFC 5746 lacks concerns a second handshake, which is never made.
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    ...(offersCompression(settings) ? { certificateCompression: COMPRESSIONS } : {}),
    ...(pinned ? { sigalgs: SIGALGS[pinned] } : {}),
    ...(caPem === null ? {} : { ca: caPem }),
    ...(clientCertificate === null ? {} : clientIdentityOf(clientCertificate, pinned)),
  });
}
