import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { environment } from '#server/environment/environment.ts';
import { ServiceError } from '#server/environment/errors.ts';

// AES-256-GCM under a key derived from ROUNDTRIP_SECRET, for secrets that must be had back: addresses and signing secrets of
// webhooks, secrets in the settings of targets. What only has to be recognised is hashed instead (secrets.ts).

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed value cannot be opened in this process: its secret is missing, or is another than at the time of sealing. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** Seals text for the database. Throws ServiceError `unavailable` where this process has no ROUNDTRIP_SECRET, and no other key is given. */
export function seal(text: string, key = sealingKey()): string {
  if (!key) {
    throw new ServiceError(
      'unavailable',
      'Webhooks and secrets of targets need ROUNDTRIP_SECRET: they are kept encrypted with it. Set it for web and jobs.',
    );
  }
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
}

/** The text that was sealed. Throws SealError. */
export function unseal(sealed: string, key = sealingKey()): string {
  if (!key) throw new SealError('ROUNDTRIP_SECRET is not set in this process, and this was encrypted with it');
  const [version, encoded = ''] = sealed.split('.');
  if (version !== VERSION) throw new SealError(`a secret is sealed as ${version}, which this version cannot open`);
  const bytes = Buffer.from(encoded, 'base64url');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    throw new SealError('ROUNDTRIP_SECRET is not the one that this was encrypted with');
  }
}

/** What `open` gives, or null where it meets something that this process cannot unseal. */
export function openable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

function sealingKey(): Buffer | null {
  const secret = environment().ROUNDTRIP_SECRET;
  return secret ? keyFrom(secret, 'webhooks') : null;
}

/** A key to seal with, made of a secret that is not stored. */
export const keyFrom = (secret: string, use: 'webhooks' | 'answers'): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `roundtrip ${use}`, 32));
