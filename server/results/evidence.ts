import { z } from 'zod';
import { Certificate } from '#contract/certificate.ts';
import { BodyCut, ConnectAttempt, Finding, type Result, Wait } from '#contract/result.ts';
import type { WireRecord } from '#contract/tls.ts';
import type { Lookup } from './lookup.ts';

/** A wire record as a tuple, for those that the text form cannot hold. */
const WireTuple = z.tuple([z.number(), z.enum(['in', 'out']), z.string(), z.number()]);

/** What `result_evidence` holds of one result; absent where the result has none of it. */
export const Evidence = z.object({
  message: z.string().optional(),
  findings: z.array(Finding).optional(),
  wire: z.union([z.string(), z.array(WireTuple)]).optional(),
  location: z.string().nullable().optional(),
  bodyCut: BodyCut.optional(),
  namesTotal: z.number().optional(),
  verifyError: z.string().nullable().optional(),
  stapleWhy: z.string().optional(),
  waits: z.array(Wait).optional(),
  attempts: z.array(ConnectAttempt).optional(),
  /** JSON texts that are too long for the dictionary. */
  hellos: z.string().optional(),
  sent: z.string().optional(),
  /** Only where this prober described the certificate otherwise than the first one that met it. */
  certificate: Certificate.pick({
    subject: true,
    issuer: true,
    notBefore: true,
    notAfter: true,
    keyType: true,
    keyBits: true,
    names: true,
    mustStaple: true,
    ocspUrl: true,
  }).optional(),
});
export type Evidence = z.infer<typeof Evidence>;

/** With what a result is written: `tooLong` takes the texts that its row leaves to the evidence, and is new for each. */
export type Encoding = { lookup: Lookup; tooLong: Pick<Evidence, 'hellos' | 'sent'> };

/** The evidence of a result as JSON text that jsonb takes, or null where there is none. */
export function evidenceJson(result: Result, { lookup, tooLong }: Encoding): string | null {
  const { failure, findings, network, tls, http, roundTrips } = result;
  const evidence: Evidence = { ...tooLong };
  if (failure) evidence.message = failure.message;
  if (findings.length > 0) evidence.findings = findings;
  if (tls?.wire) evidence.wire = wireText(tls.wire) ?? tls.wire.map(tupleOf);
  if (http?.location !== undefined) evidence.location = http.location;
  if (http?.bodyCut) evidence.bodyCut = http.bodyCut;
  if (tls?.certificate?.namesTotal !== undefined) evidence.namesTotal = tls.certificate.namesTotal;
  if (tls?.certificate?.verifyError !== undefined) evidence.verifyError = tls.certificate.verifyError;
  if (tls?.staple.why !== undefined) evidence.stapleWhy = tls.staple.why;
  if (tls?.certificate && lookup.differs(tls.certificate)) evidence.certificate = withoutChain(tls.certificate);
  if (roundTrips && roundTrips.waits.length > 0) evidence.waits = roundTrips.waits;
  if (network.attempts) evidence.attempts = network.attempts;
  const json = JSON.stringify(evidence);
  return json === '{}' ? null : json;
}

/** The chain is kept by itself. */
const withoutChain = ({ sent: _sent, namesTotal: _total, ...identity }: Certificate) => identity;

/** The records that `wireText` or `tupleOf` wrote. */
export function wireRecordsOf(wire: NonNullable<Evidence['wire']>): WireRecord[] {
  if (typeof wire !== 'string') return wire.map(([atMs, direction, type, bytes]) => ({ atMs, direction, type, bytes }));
  return [...wire.matchAll(WIRE_RECORD)].map(([, micros, direction, bytes, type = '']) => ({
    atMs: Number(micros) / 1_000,
    direction: direction === '<' ? 'in' : 'out',
    type,
    bytes: Number(bytes),
  }));
}

const WIRE_RECORD = /(\d+)([<>])(\d+) ([^|]*)\|/g;

/**
 * Wire records as one string, `1203>517 handshake|29871<1220 handshake|`: microseconds, direction, bytes, type. There are 20
 * in a result, and as values of their own they would be most of what ingest writes and what PostgreSQL parses. Null where
 * an instant is finer than a microsecond or a type holds the separator.
 */
function wireText(records: WireRecord[]): string | null {
  let text = '';
  for (const { atMs, direction, type, bytes } of records) {
    const micros = Math.round(atMs * 1_000);
    if (micros / 1_000 !== atMs || type.includes('|')) return null;
    text += `${micros}${direction === 'in' ? '<' : '>'}${bytes} ${type}|`;
  }
  return text;
}

function tupleOf({ atMs, direction, type, bytes }: WireRecord): z.infer<typeof WireTuple> {
  return [atMs, direction, type, bytes];
}
