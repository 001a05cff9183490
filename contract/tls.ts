import { z } from 'zod';
import { count, duration, MAX_DURATION_MS, text } from './bounds.ts';
import { Certificate, Staple } from './certificate.ts';
import { KEY_EXCHANGES } from './vocabulary.ts';

export const Handshake = z
  .object({
    roundTrips: z.number().int().min(0).max(1_000).nullable(),
    expectedRoundTrips: z.number().int().min(0).max(10).nullable(),
    rttRatio: z.number().min(0).max(1_000_000).nullable(),
    wireMs: duration,
    localMs: duration,
    workMs: duration.optional().meta({
      description: "the server's own work: `wireMs` less the round trips that it took; never below 0",
    }),
    flights: count.nullable(),
    records: count,
    bytesIn: count,
    bytesOut: count,
  })
  .meta({ id: 'Handshake' });
export type Handshake = z.infer<typeof Handshake>;

/** One TLS record seen on the wire during the handshake. */
export const WireRecord = z
  .object({
    atMs: z.number().min(0).max(MAX_DURATION_MS),
    direction: z.enum(['in', 'out']),
    type: text(32),
    bytes: count,
  })
  .meta({ id: 'WireRecord', description: 'atMs counts from the start of the probe' });
export type WireRecord = z.infer<typeof WireRecord>;

/** What both sides said in clear text when they met. Versions and groups under IANA's names. */
export const Hellos = z
  .object({
    clientBytes: count,
    offeredVersions: z.array(text(16)).max(16),
    offeredGroups: z.array(text(64)).max(32),
    keyShares: z.array(text(64)).max(16),
    offeredAlpn: z.array(text(32)).max(16),
    offeredCompression: z
      .array(text(16))
      .max(16)
      .optional()
      .meta({ description: 'algorithms of certificate compression; omitted by engines before 4' }),
    serverLegacyVersion: text(16).nullable(),
  })
  .meta({ id: 'Hellos' });
export type Hellos = z.infer<typeof Hellos>;

/** What the server gave for a later resumption. Null where no ticket or session came; left out where that is not known. */
export const SessionOffer = z
  .object({
    tickets: count,
    lifetimeSeconds: count.nullable(),
    earlyDataBytes: count.meta({ description: 'bytes of early data (0-RTT) that the server accepts; 0: none' }),
  })
  .meta({ id: 'SessionOffer' });
export type SessionOffer = z.infer<typeof SessionOffer>;

export const ResultTls = z
  .object({
    version: text(16).nullable(),
    cipher: text(64).nullable(),
    group: text(64).nullable(),
    alpn: text(32).nullable(),
    resumed: z.boolean(),
    helloRetry: z.boolean(),
    handshake: Handshake,
    certificate: Certificate.nullable(),
    staple: Staple,
    hellos: Hellos.nullable().optional(),
    session: SessionOffer.nullable().optional(),
    wire: z.array(WireRecord).max(256).optional(),
    keyExchange: z.enum(KEY_EXCHANGES).nullable().optional(),
    falseStart: z.boolean().nullable().optional().meta({
      description:
        'whether browsers may send their request after the first round trip of TLS 1.2 (ECDHE, AEAD and ALPN); null in TLS 1.3, and where resumed',
    }),
    flightBytes: count
      .nullable()
      .optional()
      .meta({ description: "bytes of the server's first full flight: from its ServerHello until it waits for us" }),
    certificateCompression: text(16)
      .nullable()
      .optional()
      .meta({ description: 'how the certificates were compressed (RFC 8879); null: not at all' }),
  })
  .meta({ id: 'ResultTls' });
export type ResultTls = z.infer<typeof ResultTls>;
