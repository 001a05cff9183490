import { createHash, randomBytes } from 'node:crypto';

/**
 * `rt_` API keys, `rte_` enrolment tokens, `rtp_` credentials of probers, `rts_` sessions, `rtl_` links to sign in,
 * `rtc_` links of comparisons, `rtm_` of measurements, `rto_` of status pages, which are open.
 */
export type SecretKind = 'rt' | 'rte' | 'rtp' | 'rts' | 'rtl' | 'rtc' | 'rtm' | 'rto';

/** A fresh secret with 256 bits of chance. It is shown once; the database keeps `hashSecret` of it. */
export function mintSecret(kind: SecretKind): string {
  return `${kind}_${randomBytes(32).toString('base64url')}`;
}

/** SHA-256. A slow hash would add nothing: these secrets cannot be guessed, as a password can. */
export function hashSecret(secret: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(secret).digest());
}

/** The secret of an `Authorization: Bearer` header if it is of this kind. */
export function bearerSecret(header: string | null, kind: SecretKind): string | null {
  const secret = /^Bearer +(\S{1,200})$/i.exec(header?.trim() ?? '')?.[1];
  return secret?.startsWith(`${kind}_`) ? secret : null;
}
