import type { z } from 'zod';
import { Certificate, Staple } from '#contract/certificate.ts';
import { MAX_BATCH_BYTES } from '#contract/ingest.ts';
import { Result, RoundTrips, VantageRef } from '#contract/result.ts';
import { Hellos, SessionOffer } from '#contract/tls.ts';
import { ServiceError } from '#server/environment/errors.ts';
import { compileGuard, type Guard } from './guard.ts';

/** The schemas of parts that results may share, by the places of SHARED_PLACES; `inTls` where that is a place in `tls`. */
const PLACES = [
  { key: 'vantage', inTls: false, schema: VantageRef },
  { key: 'roundTrips', inTls: false, schema: RoundTrips },
  { key: 'certificate', inTls: true, schema: Certificate },
  { key: 'staple', inTls: true, schema: Staple },
  { key: 'hellos', inTls: true, schema: Hellos },
  { key: 'session', inTls: true, schema: SessionOffer },
] as const;
const GUARDS = PLACES.map(({ schema }) => compileGuard(schema));

/** As the guard of a Result; a number in the place of a part says nothing against it. */
export const isResultOfParts: Guard = compileGuard(
  Result,
  new Set<z.core.$ZodType>(PLACES.map(({ schema }) => schema)),
);

const NOT_ASKED = 0;
const IN_ORDER = 1;
const NOT_IN_ORDER = 2;

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/**
 * The parts that results of one batch share. A part is judged once for each kind of place it stands in, and is one object in
 * all results: what is stored of it is then worked out once, too (server/results/lookup.ts).
 */
export class Parts {
  readonly #parts: readonly unknown[];
  readonly #judged: Uint8Array[];
  readonly #bytes: Float64Array;
  #bytesLeft = MAX_BATCH_BYTES;

  constructor(parts: readonly unknown[]) {
    this.#parts = parts;
    this.#judged = PLACES.map(() => new Uint8Array(parts.length));
    this.#bytes = new Float64Array(parts.length);
  }

  /**
   * Puts parts where a result has their numbers, and says whether they are in order there. A number without a part that is an object
   * stays, for the schema to refuse. Throws `too_large` where the results would be larger with their parts than a batch may be.
   */
  joinTo(result: unknown): boolean {
    if (!isObject(result)) return false;
    const tls = isObject(result.tls) ? result.tls : null;
    let inOrder = true;
    for (const [place, { key, inTls }] of PLACES.entries()) {
      const holder = inTls ? tls : result;
      const number = holder?.[key];
      if (holder === null || typeof number !== 'number') continue;
      const part = this.#parts[number];
      if (typeof part !== 'object') {
        inOrder = false;
        continue;
      }
      holder[key] = part;
      this.#count(number, part);
      inOrder = this.#isInOrder(place, number, part) && inOrder;
    }
    return inOrder;
  }

  #isInOrder(place: number, number: number, part: unknown): boolean {
    const judged = this.#judged[place];
    if (!judged) return false;
    if (judged[number] === NOT_ASKED) judged[number] = GUARDS[place]?.(part) ? IN_ORDER : NOT_IN_ORDER;
    return judged[number] === IN_ORDER;
  }

  #count(number: number, part: unknown): void {
    const bytes = this.#bytes[number] || Buffer.byteLength(JSON.stringify(part));
    this.#bytes[number] = bytes;
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft >= 0) return;
    const message = `has more than ${MAX_BATCH_BYTES} bytes with the shared parts of its results`;
    throw new ServiceError('too_large', `body ${message}`, [{ field: 'shared', message }]);
  }
}
