import { X509Certificate } from 'node:crypto';
import { settingProblems } from '#contract/settings-problems.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { unmaskedRequest } from '#server/access/secret-settings.ts';
import { type FieldError, invalidField, ServiceError } from '#server/environment/errors.ts';
import { holdsKey, refuseOtherKind, usableClientCertificate } from './client-certificate.ts';

/**
 * The settings as they are to be stored, with the secrets that were left masked filled in from those `stored` before,
 * unless the target has `moved` (`sendsElsewhere`). Throws `invalid`, naming every field that no probe could work with.
 */
export function acceptedSettings(given: ProbeSettings, stored: ProbeSettings | null, moved = false): ProbeSettings {
  const problems = new Problems();
  for (const { field, message } of settingProblems(given)) problems.add({ field: `settings.${field}`, message });
  problems.of(() => refuseBadRoots(given.caPem));
  const storedClient = stored?.clientCertificate ?? null;
  const clientCertificate = problems.of(() => usableClientCertificate(given.clientCertificate, storedClient));
  if (clientCertificate) problems.of(() => refuseOtherKind(given.sigalgs, clientCertificate.certPem));
  const request = problems.of(() => unmaskedRequest(given.request, stored?.request ?? null, moved));
  if (clientCertificate === undefined || request === undefined || problems.found) throw problems.error();
  return {
    ...withoutUnused(given),
    clientCertificate,
    request: { ...request, headers: request.headers.map(withoutFalse) },
  };
}

/** Settings that older probers do not know are stored only where they are not as by default. */
function withoutUnused({ reuse, compression, certificateCompression, ...settings }: ProbeSettings): ProbeSettings {
  return {
    ...settings,
    ...(reuse ? { reuse } : {}),
    ...(compression ? { compression } : {}),
    ...(certificateCompression === false ? { certificateCompression } : {}),
  };
}

const withoutFalse = ({ secret, ...header }: ProbeSettings['request']['headers'][number]) =>
  secret ? { ...header, secret } : header;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Every probe would fail by roots that hold no certificate, or a broken one. */
function refuseBadRoots(caPem: string | null): void {
  if (caPem === null) return;
  const refusal = (message: string) => invalidField('settings.caPem', message);
  if (holdsKey(caPem)) throw refusal('holds a private key: trusted roots are certificates alone');
  const blocks = caPem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw refusal('holds no certificate in PEM');
  blocks.forEach((block, index) => {
    try {
      new X509Certificate(block);
    } catch {
      throw refusal(`cannot be read: certificate ${index + 1} is broken`);
    }
  });
}

/** Gathers what several checks find, so that one answer names all of it. */
class Problems {
  readonly #fields: FieldError[] = [];

  get found(): boolean {
    return this.#fields.length > 0;
  }

  add(field: FieldError): void {
    this.#fields.push(field);
  }

  /** What the check gives, or undefined where it finds fault with a field. */
  of<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ServiceError) || !error.fields) throw error;
      this.#fields.push(...error.fields);
      return undefined;
    }
  }

  error(): ServiceError {
    const detail = this.#fields.map(({ field, message }) => `${field} ${message}`).join('; ');
    return new ServiceError('invalid', detail, this.#fields);
  }
}
