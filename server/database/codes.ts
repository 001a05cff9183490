import type { ProberState, Result } from '#contract/result.ts';
import type { Variant } from '#contract/vocabulary.ts';

// Small numbers that stand in columns of `result`. They are stored: add new ones, never change one.

const VARIANT_CODES: Record<Variant, number> = { main: 0, resumed: 1, rsa: 2, ecdsa: 3, redirect: 4 };
const STAMPER_CODES: Record<NonNullable<ProberState['stampedBy']>, number> = { watcher: 1, loop: 2 };

/** A variant as its column holds it; null where the Result leaves it out, which means `main`. */
export const variantCode = (variant: Variant | undefined): number | null =>
  variant === undefined ? null : VARIANT_CODES[variant];

/** Says, in SQL, that a row of `result` is of a main handshake. */
export const IS_MAIN = '(variant is null or variant = 0)';

export const stamperCode = (stamper: ProberState['stampedBy']): number | null =>
  stamper === undefined ? null : STAMPER_CODES[stamper];

/** The word of a variant's code. */
export const variantOf = (code: number) => wordOf(VARIANT_CODES, code);
export const stamperOf = (code: number) => wordOf(STAMPER_CODES, code);

function wordOf<Word extends string>(codes: Record<Word, number>, code: number): Word | undefined {
  return (Object.keys(codes) as Word[]).find((word) => codes[word] === code);
}

/** A bit for each field that a Result may hold as null or leave out: null in its column, it is told by its bit which. */
const GIVEN_BITS = {
  rttMs: 1,
  synRetransmits: 2,
  segmentsIn: 4,
  segmentsOut: 8,
  outOfOrder: 16,
  signature: 32,
  firstPacketMs: 64,
  firstUsableMs: 128,
  lateMs: 256,
  mainId: 512,
} as const;
type Optional = keyof typeof GIVEN_BITS;

/** Which of those fields this result has, null or not; null for none, as in all results of engine 1. */
export function givenOf({ network, tls, http, prober, mainId }: Result): number | null {
  let bits = 0;
  if (network.rttMs !== undefined) bits |= GIVEN_BITS.rttMs;
  if (network.synRetransmits !== undefined) bits |= GIVEN_BITS.synRetransmits;
  if (network.segmentsIn !== undefined) bits |= GIVEN_BITS.segmentsIn;
  if (network.segmentsOut !== undefined) bits |= GIVEN_BITS.segmentsOut;
  if (network.outOfOrder !== undefined) bits |= GIVEN_BITS.outOfOrder;
  if (tls?.certificate?.signature !== undefined) bits |= GIVEN_BITS.signature;
  if (http?.firstPacketMs !== undefined) bits |= GIVEN_BITS.firstPacketMs;
  if (http?.firstUsableMs !== undefined) bits |= GIVEN_BITS.firstUsableMs;
  if (prober.lateMs !== undefined) bits |= GIVEN_BITS.lateMs;
  if (mainId !== undefined) bits |= GIVEN_BITS.mainId;
  return bits === 0 ? null : bits;
}

/** The field with its value where the result had it, else nothing. */
export function whereGiven<Field extends Optional, Value>(
  given: number | null,
  field: Field,
  value: Value,
): { [Key in Field]?: Value } {
  return ((given ?? 0) & GIVEN_BITS[field]) === 0 ? {} : ({ [field]: value } as { [Key in Field]: Value });
}
