import { z } from 'zod';
import { count, instant, text } from './bounds.ts';
import { CHAIN_PROBLEMS, STAPLE_STATUSES } from './vocabulary.ts';

/** Most names of a certificate that a Result holds. */
export const MAX_NAMES = 1_000;

/** What is told of any certificate, the leaf or another of its chain. */
const identity = {
  subject: text(2_000),
  issuer: text(2_000),
  notBefore: instant.nullable(),
  notAfter: instant.nullable(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  keyType: text(32),
  keyBits: count.nullable(),
};

/** One certificate of a chain, in the order in which it was sent. */
export const ChainCertificate = z
  .object({
    ...identity,
    bytes: count,
    endsFirst: z
      .literal(true)
      .optional()
      .meta({ description: 'set on an intermediate of the verified path that expires before the leaf' }),
  })
  .meta({ id: 'ChainCertificate' });
export type ChainCertificate = z.infer<typeof ChainCertificate>;

/**
 * The chain as the server sent it; `messageBytes` are those of the Certificate message on the wire, or of the
 * CompressedCertificate in its place (RFC 8879).
 */
export const SentChain = z
  .object({
    certificates: z.array(ChainCertificate).max(16),
    messageBytes: count,
    uncompressedBytes: count
      .optional()
      .meta({ description: 'bytes of the message before compression; omitted where it was not compressed' }),
    compressibleTo: count
      .optional()
      .meta({ description: 'bytes of the message if it were compressed by brotli; omitted where it was compressed' }),
    problems: z.array(z.enum(CHAIN_PROBLEMS)).max(CHAIN_PROBLEMS.length),
  })
  .meta({ id: 'SentChain' });
export type SentChain = z.infer<typeof SentChain>;

/** The leaf: what it says, what a client makes of it, and the chain that came with it. */
export const Certificate = z
  .object({
    ...identity,
    names: z.array(text(256)).max(MAX_NAMES),
    namesTotal: count.optional().meta({
      description:
        'total number of names, if the certificate has more than `names` holds (the first ones, and the one that matched)',
    }),
    chainLength: count.nullable(),
    chainBytes: count.nullable(),
    verified: z.boolean(),
    verifyError: text(500).nullable().optional(),
    mustStaple: z.boolean(),
    ocspUrl: text(2_000).nullable(),
    signature: text(64)
      .nullable()
      .optional()
      .meta({ description: 'IANA name of the algorithm with which the server proved possession of its key' }),
    sent: SentChain.nullable().optional().meta({ description: 'null if it could not be read from the wire' }),
  })
  .meta({ id: 'Certificate' });
export type Certificate = z.infer<typeof Certificate>;

/** When the first certificate of the verified path ends: the leaf, or `intermediate`, a subject that ends before it. */
export function firstToEnd({ notBefore, notAfter, sent }: Certificate) {
  const intermediates = sent?.certificates.filter(({ endsFirst }) => endsFirst) ?? [];
  const [first] = intermediates.toSorted((a, b) => Date.parse(a.notAfter ?? '') - Date.parse(b.notAfter ?? ''));
  if (!first) return { notBefore, notAfter, intermediate: null };
  return { notBefore: first.notBefore, notAfter: first.notAfter, intermediate: first.subject };
}

/** The OCSP answer that came with the handshake. */
export const Staple = z
  .object({
    status: z.enum(STAPLE_STATUSES),
    producedAt: instant.nullable(),
    thisUpdate: instant.nullable(),
    nextUpdate: instant.nullable(),
    bytes: count,
    why: text(500)
      .optional()
      .meta({ description: 'with status `unverified`: why the prober cannot check the response' }),
  })
  .meta({ id: 'Staple' });
export type Staple = z.infer<typeof Staple>;

const DAY_MS = 86_400_000;
/** With such a share of the lifetime left automatic renewal comes (what ACME clients do, and ARI, RFC 9773). */
export const RENEWED_AT = 1 / 3;
const CRITICAL_SHARE = 1 / 6;
/** No longer lifetime was allowed since 2020: of a private certificate of many years a third would be years, too. */
export const MOST_LIFETIME_MS = 398 * DAY_MS;

/**
 * How soon a certificate ends, seen at `at` (ms since 1970): by the share of its lifetime that is left, since lifetimes
 * differ from six days to a year. Null where that is long enough, and where it has ended.
 */
export function expirySeverity(notBefore: string, notAfter: string, at: number): 'warning' | 'critical' | null {
  const leftMs = Date.parse(notAfter) - at;
  const lifetimeMs = Math.min(Date.parse(notAfter) - Date.parse(notBefore), MOST_LIFETIME_MS);
  const share = leftMs / lifetimeMs;
  if (leftMs < 0 || !(share < RENEWED_AT)) return null;
  return share < CRITICAL_SHARE ? 'critical' : 'warning';
}
