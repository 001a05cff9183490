import { SentChain } from '#contract/certificate.ts';
import type { Result, RoundTrips } from '#contract/result.ts';
import { Hellos, SessionOffer } from '#contract/tls.ts';

/**
 * Parts of a result that are the same from one to the next, as JSON texts: the dictionary keeps each once, and a row its id.
 * `null` is the text of a part that is null; undefined is one that the result leaves out.
 */
export type Repeated = {
  hellos: string | undefined;
  session: string | undefined;
  sent: string | undefined;
  roundTrips: string | undefined;
};

/** Longer texts stand with the evidence of their result, so that the dictionary and its cache stay small. */
const MAX_SHARED = 4_096;

export function repeatedOf({ tls, roundTrips }: Result): Repeated {
  return {
    hellos: tls?.hellos === undefined ? undefined : JSON.stringify(tls.hellos),
    session: tls?.session === undefined ? undefined : JSON.stringify(tls.session),
    sent: tls?.certificate?.sent === undefined ? undefined : JSON.stringify(tls.certificate.sent),
    roundTrips: roundTrips === undefined ? undefined : countsText(roundTrips),
  };
}

/** The text as the dictionary takes it, or null where there is none or it is too long for it. */
export function sharedText(text: string | undefined): string | null {
  return text === undefined || text.length > MAX_SHARED ? null : text;
}

/** The text where it is too long for the dictionary. */
export function unsharedText(text: string | undefined): string | undefined {
  return text !== undefined && text.length > MAX_SHARED ? text : undefined;
}

const readHellos = Hellos.nullable();
const readSession = SessionOffer.nullable();
const readSent = SentChain.nullable();

/** The parts of a row, from the dictionary's texts; a part that the result left out is left out. */
export const hellosOf = (text: string | null) => (text === null ? {} : { hellos: readHellos.parse(JSON.parse(text)) });
export const sessionOf = (text: string | null) =>
  text === null ? {} : { session: readSession.parse(JSON.parse(text)) };
export const sentOf = (text: string | null) => (text === null ? {} : { sent: readSent.parse(JSON.parse(text)) });

/** `1,1 1,1 2,1 1,1`: took and expected of TCP, TLS, first byte and first packet; a dash for null. Waits stand elsewhere. */
function countsText(roundTrips: RoundTrips | null): string {
  if (roundTrips === null) return 'null';
  const { tcp, tls, firstByte, firstPacket } = roundTrips;
  return [tcp, tls, firstByte, firstPacket].map(({ took, expected }) => `${took ?? '-'},${expected ?? '-'}`).join(' ');
}

/** The round trips of a row, from the text of their counts and the waits of its evidence. */
export function roundTripsOf(text: string | null, waits: RoundTrips['waits']): { roundTrips?: RoundTrips | null } {
  if (text === null) return {};
  if (text === 'null') return { roundTrips: null };
  const [tcp, tls, firstByte, firstPacket] = text.split(' ').map(countsOf);
  if (!tcp || !tls || !firstByte || !firstPacket) return {};
  return { roundTrips: { tcp, tls, firstByte, firstPacket, waits } };
}

function countsOf(text: string): RoundTrips['tcp'] {
  const [took = '-', expected = '-'] = text.split(',');
  return { took: took === '-' ? null : Number(took), expected: expected === '-' ? null : Number(expected) };
}
