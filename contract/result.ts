import { z } from 'zod';
import { count, duration, instant, MAX_CLOCK_OFFSET_MS, MAX_DURATION_MS, text } from './bounds.ts';
import { ResultTls } from './tls.ts';
import {
  AccessType,
  FAILURE_REASONS,
  FAILURE_SOURCES,
  FINDING_CODES,
  PHASES,
  VARIANTS,
  WAIT_CAUSES,
} from './vocabulary.ts';

/** The version of the measuring engine; raised whenever a number changes its meaning. */
export const ENGINE_VERSION = 4;

export const Failure = z
  .object({
    phase: z.enum(PHASES),
    reason: z.enum(FAILURE_REASONS),
    source: z.enum(FAILURE_SOURCES),
    message: text(1_000),
  })
  .meta({ id: 'Failure', description: 'Why a probe failed: phase, reason and source' });
export type Failure = z.infer<typeof Failure>;

export const Phases = z
  .object({
    dns: duration,
    tcp: duration,
    tls: duration,
    firstByte: duration,
    download: duration,
    total: duration,
    firstBody: duration.optional().meta({
      description:
        'from the request to the last byte of the first record that holds a byte of the body; overlaps `firstByte` and `download`. Null without a body, and before engine 3',
    }),
  })
  .meta({ id: 'Phases', description: 'Durations in milliseconds; null where the phase did not happen' });
export type Phases = z.infer<typeof Phases>;

/** Duration (ms) of the TCP connect that succeeded, without the attempts before it; null where there was none. */
export const connectMsOf = ({ network, phases }: Pick<Result, 'network' | 'phases'>): number | null =>
  network.attemptMs ?? phases.tcp;

export const Marks = z
  .object({
    namelookup: duration,
    connect: duration,
    appconnect: duration,
    pretransfer: duration,
    starttransfer: duration,
    firstBody: duration
      .optional()
      .meta({ description: "the arrival of the first record that holds a byte of the body: not one of curl's" }),
    total: duration,
  })
  .meta({ id: 'Marks', description: "Milliseconds since the probe's start, under curl's names" });
export type Marks = z.infer<typeof Marks>;

/** Most addresses of a name that one probe tries. */
export const MOST_ATTEMPTS = 8;

/** One TCP connect of a probe that tried several addresses. */
export const ConnectAttempt = z
  .object({
    address: text(64),
    family: z.union([z.literal(4), z.literal(6)]),
    atMs: z.number().min(0).max(MAX_DURATION_MS).meta({ description: 'since the start of the probe' }),
    durationMs: z.number().min(0).max(MAX_DURATION_MS),
    reason: z.enum(FAILURE_REASONS).nullable().meta({ description: 'why it failed; null for the one that connected' }),
    syns: count.nullable().meta({ description: 'SYNs sent; null where the kernel was not asked, or none was sent' }),
  })
  .meta({ id: 'ConnectAttempt' });
export type ConnectAttempt = z.infer<typeof ConnectAttempt>;

export const ResultNetwork = z
  .object({
    peerAddress: text(64).nullable(),
    peerPort: count.max(65_535).nullable(),
    localAddress: text(64).nullable(),
    localPort: count.max(65_535).nullable(),
    family: z.union([z.literal(4), z.literal(6)]).nullable(),
    resolver: text(128).nullable(),
    minRttMs: duration,
    retransmits: count.nullable(),
    sndCwnd: count.nullable(),
    rttMs: duration.optional().meta({ description: "the kernel's round-trip time of the SYN" }),
    synRetransmits: count.nullable().optional(),
    segmentsIn: count.nullable().optional(),
    segmentsOut: count.nullable().optional(),
    outOfOrder: count
      .nullable()
      .optional()
      .meta({ description: 'segments that arrived before an earlier one: usually a sign of packet loss' }),
    mss: count.nullable().optional().meta({ description: "bytes of the server's full segments" }),
    attempts: z.array(ConnectAttempt).min(1).max(MOST_ATTEMPTS).optional().meta({
      description: 'the connects in their order, where more than one address was tried; omitted otherwise',
    }),
    attemptMs: z.number().min(0).max(MAX_DURATION_MS).optional().meta({
      description:
        'duration of the connect that succeeded, where others had failed before it: `phases.tcp` contains all of them. Omitted otherwise',
    }),
  })
  .meta({
    id: 'ResultNetwork',
    description: 'Addresses used, and statistics of the kernel (null where not available)',
  });
export type ResultNetwork = z.infer<typeof ResultNetwork>;

/** A body that was not read to its end. */
export const BodyCut = z
  .object({
    by: z.enum(['limit', 'server']).meta({
      description:
        '`limit`: the prober stopped after the first MiB, which is no failure; `server`: the connection ended before the body was complete',
    }),
    expectedBytes: count.nullable().meta({ description: 'from content-length; null if absent' }),
  })
  .meta({ id: 'BodyCut' });
export type BodyCut = z.infer<typeof BodyCut>;

export const ResultHttp = z
  .object({
    version: z.enum(['1.0', '1.1', '2']),
    status: z.number().int().min(100).max(999).nullable(),
    bytes: count.meta({ description: 'bytes of the body that were read' }),
    bodyCut: BodyCut.optional().meta({ description: 'omitted if the body was read to its end' }),
    firstRecordBytes: count.nullable(),
    maxRecordBytes: count.nullable(),
    records: count.nullable(),
    server: text(256).nullable(),
    location: text(2_000).nullable().optional(),
    firstPacketMs: duration.optional().meta({
      description: 'from the request to the first packet of the response, which may hold only part of a record',
    }),
    firstUsableMs: duration.optional().meta({
      description: 'from the request to the last byte of the first record of the response, when it can be decrypted',
    }),
    firstBodyPacketMs: duration.optional().meta({
      description: 'from the request to the first packet of the first record that holds a byte of the body',
    }),
    firstBodyRecordBytes: count
      .nullable()
      .optional()
      .meta({ description: 'bytes of that record, with its header and encryption' }),
    encoding: text(64).nullable().optional().meta({ description: 'content-encoding; null for none' }),
    altSvc: text(256).nullable().optional().meta({ description: 'alt-svc, cut to 256 characters; null for none' }),
    keepAlive: z
      .boolean()
      .nullable()
      .optional()
      .meta({ description: 'whether the server keeps the connection for further requests; null where it did not say' }),
    workMs: duration.optional().meta({
      description:
        "the server's own work until the first byte: the wait less the round trips that it took; never below 0",
    }),
  })
  .meta({ id: 'ResultHttp' });
export type ResultHttp = z.infer<typeof ResultHttp>;

/** The figures of a finding's evidence, by name: pages write the sentence in their language from them. */
const FindingValues = z
  .record(z.string().max(40), z.union([z.number(), text(500)]))
  .refine((values) => Object.keys(values).length <= 24, 'must not contain more than 24 values');

/** Beyond any handshake, in round trips or ms: a sum that went wrong. */
const MAX_SAVING = 1_000_000_000;

export const Finding = z
  .object({
    code: z.enum(FINDING_CODES),
    severity: z.enum(['info', 'warning', 'critical']),
    savesRoundTrips: z.number().min(0).max(MAX_SAVING).nullable(),
    savesMs: z.number().min(0).max(MAX_SAVING).nullable(),
    evidence: text(1_000),
    values: FindingValues.optional().meta({ description: 'the figures of the evidence' }),
  })
  .meta({ id: 'Finding', description: 'A problem shown by the evidence of this result' });
export type Finding = z.infer<typeof Finding>;

const taken = z.number().int().min(0).max(1_000).nullable();

/** Round trips that a phase took, and that it takes when nothing is wasted; null where they could not be counted. */
const PhaseRoundTrips = z.object({ took: taken, expected: taken }).meta({ id: 'PhaseRoundTrips' });

/** A pause inside the server's bytes that cost a round trip or more: where the extra one sits. */
export const Wait = z
  .object({
    phase: z.enum(['tls', 'firstByte', 'download']),
    atMs: z
      .number()
      .min(0)
      .max(MAX_DURATION_MS)
      .meta({ description: 'when the wait began, since the start of the probe' }),
    waitMs: z.number().min(0).max(MAX_DURATION_MS),
    afterBytes: count.meta({ description: "bytes of the server's flight before it" }),
    segments: count
      .nullable()
      .optional()
      .meta({ description: 'segments since the pause before it; null where unknown' }),
    heldBy: z.enum(WAIT_CAUSES).optional().meta({
      description:
        "`window`: the server's congestion window was full; `nagle`: a smaller segment waited for an acknowledgement (Nagle's algorithm, or writes of a small buffer); else `unknown`",
    }),
  })
  .meta({ id: 'Wait' });
export type Wait = z.infer<typeof Wait>;

/** Segments and bytes that the server sends before it waits for the first acknowledgement. */
export const ServerWindow = z
  .object({
    segments: count,
    bytes: count,
    exact: z.boolean().meta({
      description: 'false: at least so many, since nothing larger was sent, or what was larger was not counted',
    }),
  })
  .meta({ id: 'ServerWindow', description: "The server's initial congestion window, estimated from the pauses" });
export type ServerWindow = z.infer<typeof ServerWindow>;

export const RoundTrips = z
  .object({
    tcp: PhaseRoundTrips,
    tls: PhaseRoundTrips,
    firstByte: PhaseRoundTrips.meta({ description: 'until the first usable byte' }),
    firstPacket: PhaseRoundTrips.meta({ description: 'until the first packet of the response' }),
    firstBody: PhaseRoundTrips.optional().meta({ description: 'from the request until the first byte of the body' }),
    download: PhaseRoundTrips.optional().meta({ description: 'waits after the first byte; none are expected' }),
    serverWindow: ServerWindow.nullable().optional(),
    waits: z.array(Wait).max(16),
  })
  .meta({ id: 'RoundTrips' });
export type RoundTrips = z.infer<typeof RoundTrips>;

export const ProberState = z
  .object({
    loopDelayMs: z.number().min(0).max(MAX_DURATION_MS),
    inFlight: count,
    clean: z.boolean(),
    lateMs: duration
      .optional()
      .meta({ description: 'how much of the durations is delay of the prober; null if unknown' }),
    stampedBy: z
      .enum(['watcher', 'loop'])
      .optional()
      .meta({ description: 'source of arrival timestamps: `watcher` is a dedicated thread, `loop` the event loop' }),
    clockOffsetMs: z.number().int().min(-MAX_CLOCK_OFFSET_MS).max(MAX_CLOCK_OFFSET_MS).optional().meta({
      description: "the prober's clock minus the server's, if `startedAt` was corrected by it; omitted otherwise",
    }),
  })
  .meta({
    id: 'ProberState',
    description: 'Load of the prober; a result that is not clean is excluded from percentiles',
  });
export type ProberState = z.infer<typeof ProberState>;

/** The labels of the vantage that took a Result. */
export const VantageRef = z
  .object({
    id: z.uuid(),
    name: text(200),
    country: text(2),
    region: text(16),
    city: text(100).nullable(),
    carrier: text(64),
    asn: z.number().int().min(0).max(4_294_967_295).nullable(),
    access: AccessType,
  })
  .meta({ id: 'VantageRef' });
export type VantageRef = z.infer<typeof VantageRef>;

/** One execution of a check, kept verbatim. Durations are milliseconds; what did not happen is null, never 0. */
export const Result = z
  .object({
    id: z.uuid({ version: 'v7' }),
    variant: z.enum(VARIANTS).optional().meta({ description: 'which handshake of the check; default: `main`' }),
    mainId: z
      .uuid({ version: 'v7' })
      .nullable()
      .optional()
      .meta({ description: 'id of the `main` Result that this one follows' }),
    engineVersion: z
      .number()
      .int()
      .min(0)
      .max(10_000)
      .meta({ description: 'of the measuring engine; 0: measured by another monitor, and imported' }),
    url: text(2_048),
    targetId: z.uuid().nullable(),
    vantage: VantageRef.nullable(),
    demo: z.boolean().meta({ description: 'true where target and vantage belong to the demo network' }),
    startedAt: instant,
    ok: z.boolean(),
    failure: Failure.nullable(),
    phases: Phases,
    marks: Marks,
    network: ResultNetwork,
    tls: ResultTls.nullable(),
    http: ResultHttp.nullable(),
    roundTrips: RoundTrips.nullable().optional(),
    prober: ProberState,
    findings: z.array(Finding).max(32),
  })
  .meta({ id: 'Result' });
export type Result = z.infer<typeof Result>;

/** A Result that says where it belongs; only an instant probe from the command line does not. */
export type StorableResult = Result & { targetId: string; vantage: VantageRef };
