import type { Certificate } from '#contract/certificate.ts';
import { type CertificateIdentity, knownCertificates, learnCertificates, sameIdentity } from '../certificates.ts';
import { knownStrings, learnStrings } from '../dictionary.ts';

/**
 * Ids of the strings and certificates of a batch. What this process has not met is noted down and reads as 0 until
 * `learn`, after which the batch is encoded once more: nearly always there is nothing to learn.
 */
export class Lookup {
  #strings = knownStrings();
  #certificates = knownCertificates();
  #newStrings = new Set<string>();
  #newCertificates = new Map<string, CertificateIdentity>();

  string(value: string | null): number | null {
    if (value === null) return null;
    const id = this.#strings.get(value);
    if (id !== undefined) return id;
    this.#newStrings.add(value);
    return 0;
  }

  certificate(value: Certificate | null | undefined): number | null {
    if (!value) return null;
    const known = this.#certificates.get(value.sha256);
    if (known) return known.id;
    if (!this.#newCertificates.has(value.sha256)) this.#newCertificates.set(value.sha256, value);
    return 0;
  }

  /** Whether this observation describes the certificate otherwise than the stored one. */
  differs(value: Certificate): boolean {
    const known = this.#certificates.get(value.sha256) ?? this.#newCertificates.get(value.sha256);
    return known !== undefined && !sameIdentity(known, value);
  }

  /** Learns what was missing; false when nothing was. */
  async learn(): Promise<boolean> {
    const missing = this.#newStrings.size + this.#newCertificates.size > 0;
    if (this.#newStrings.size > 0) await learnStrings(this.#newStrings);
    if (this.#newCertificates.size > 0) await learnCertificates(this.#newCertificates);
    this.#newStrings = new Set();
    this.#newCertificates = new Map();
    this.#strings = knownStrings();
    this.#certificates = knownCertificates();
    return missing;
  }
}
