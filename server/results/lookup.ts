import type { Certificate } from '#contract/certificate.ts';
import type { StorableResult } from '#contract/result.ts';
import { addStrings, findStrings, knownStrings } from '#server/database/dictionary.ts';
import {
  addCertificates,
  type CertificateIdentity,
  findCertificates,
  type KnownCertificate,
  knownCertificates,
  sameIdentity,
} from './certificates.ts';

/** How many strings and certificates that the database has not met may still be added; counted down as they are. */
export type Allowance = { strings: number; certificates: number };

/** What a result holds that this process has not met. */
type Unmet = { strings: Set<string>; certificates: Map<string, CertificateIdentity> };

/**
 * Ids of the strings and certificates of a batch. What this process has not met is noted down and reads as 0 until
 * `learn`, after which the batch is encoded once more: nearly always there is nothing to learn.
 */
export class Lookup {
  readonly #strings = knownStrings();
  readonly #certificates = knownCertificates();
  // Beside what the process knows, whose cache may be emptied at any time.
  #learntStrings = new Map<string, number>();
  #learntCertificates = new Map<string, KnownCertificate>();
  readonly #unmet = new Map<StorableResult, Unmet>();
  #firstSeen = new Map<string, CertificateIdentity>();
  #current: StorableResult | null = null;
  // What was met last, of each column: results that share a part hold one object, and mostly follow each other.
  readonly #partIds = new Map<string, { part: object; id: number }>();
  #compared: { certificate: Certificate; differs: boolean } | null = null;

  /** Names the result that the next questions are about. */
  begin(result: StorableResult): void {
    this.#current = result;
  }

  string(value: string | null): number | null {
    if (value === null) return null;
    const id = this.#strings.get(value) ?? this.#learntStrings.get(value);
    if (id !== undefined) return id;
    this.#unmetHere().strings.add(value);
    return 0;
  }

  /** The id of a part's text where it is the part that was met last; else that of the text it has now. */
  part<Part extends object>(column: string, part: Part, textOf: (part: Part) => string | null): number | null {
    const last = this.#partIds.get(column);
    if (last?.part === part) return last.id;
    const id = this.string(textOf(part));
    if (id) this.#partIds.set(column, { part, id });
    return id;
  }

  certificate(value: Certificate | null | undefined): number | null {
    if (!value) return null;
    const known = this.#known(value.sha256);
    if (known) return known.id;
    if (!this.#firstSeen.has(value.sha256)) this.#firstSeen.set(value.sha256, value);
    this.#unmetHere().certificates.set(value.sha256, this.#firstSeen.get(value.sha256) ?? value);
    return 0;
  }

  /** Whether this observation describes the certificate otherwise than the stored one. */
  differs(value: Certificate): boolean {
    if (this.#compared?.certificate === value) return this.#compared.differs;
    const known = this.#known(value.sha256) ?? this.#firstSeen.get(value.sha256);
    const differs = known !== undefined && !sameIdentity(known, value);
    this.#compared = { certificate: value, differs };
    return differs;
  }

  /**
   * Learns what was unmet, and stores what the database has not met either as far as it is allowed. Null when there was
   * nothing; else the results that hold more than is allowed.
   */
  async learn(allowance: Allowance): Promise<Set<StorableResult> | null> {
    if (this.#unmet.size === 0) return null;
    this.#compared = null;
    const unmet = [...this.#unmet.values()];
    const strings = new Set(unmet.flatMap((each) => [...each.strings]));
    const certificates = new Set(unmet.flatMap((each) => [...each.certificates.keys()]));
    if (strings.size > 0) this.#learntStrings = await findStrings(strings);
    if (certificates.size > 0) this.#learntCertificates = await findCertificates(certificates);
    const { added, refused } = this.#grant(allowance);
    try {
      if (added.strings.size > 0) join(this.#learntStrings, await addStrings([...added.strings]));
      if (added.certificates.size > 0)
        join(this.#learntCertificates, await addCertificates([...added.certificates.values()]));
    } catch (error) {
      allowance.strings += added.strings.size;
      allowance.certificates += added.certificates.size;
      throw error;
    }
    return refused;
  }

  /** In the order of the results: one that would need more than is left is refused, and takes nothing. */
  #grant(allowance: Allowance): { added: Unmet; refused: Set<StorableResult> } {
    const added: Unmet = { strings: new Set(), certificates: new Map() };
    const refused = new Set<StorableResult>();
    for (const [result, unmet] of this.#unmet) {
      const strings = [...unmet.strings].filter((each) => !this.#learntStrings.has(each) && !added.strings.has(each));
      const certificates = [...unmet.certificates].filter(
        ([sha256]) => !this.#learntCertificates.has(sha256) && !added.certificates.has(sha256),
      );
      if (strings.length > allowance.strings || certificates.length > allowance.certificates) {
        refused.add(result);
        continue;
      }
      allowance.strings -= strings.length;
      allowance.certificates -= certificates.length;
      for (const each of strings) added.strings.add(each);
      join(added.certificates, certificates);
    }
    return { added, refused };
  }

  #known(sha256: string): KnownCertificate | undefined {
    return this.#certificates.get(sha256) ?? this.#learntCertificates.get(sha256);
  }

  #unmetHere(): Unmet {
    if (!this.#current) throw new Error('the lookup was not told which result it is about');
    const unmet = this.#unmet.get(this.#current) ?? { strings: new Set(), certificates: new Map() };
    this.#unmet.set(this.#current, unmet);
    return unmet;
  }
}

function join<K, V>(map: Map<K, V>, more: Iterable<readonly [K, V]>): void {
  for (const [key, value] of more) map.set(key, value);
}
