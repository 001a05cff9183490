import { SentChain } from '#contract/certificate.ts';
import { Result, type ServerWindow, type StorableResult } from '#contract/result.ts';
import { Hellos, SessionOffer } from '#contract/tls.ts';
import { STAMPER_CODES, VARIANT_CODES } from '#server/database/codes.ts';
import {
  bool,
  type Column,
  certificate,
  code,
  type Elsewhere,
  evidence,
  float8,
  identity,
  instant,
  int2,
  int4,
  leftOut,
  micros,
  optional,
  required,
  roundTripCounts,
  shared,
  text,
  uuid,
  vantage,
  withFields,
} from './column-types.ts';
import type { CopyWriter } from './copy-writer.ts';
import { type Encoding, wireRecordsOf } from './evidence.ts';

// The one table of what a Result is made of, in the shape of a Result: for each field the column that holds it and its type
// there. COPY (`writeResult`), the way back (decode.ts), the CSV export (csv.ts), the type of a row and the names that filters
// may use are all made from it. A field of the contract that is missing here is an error of types; a column that the
// database lacks, or has besides, fails tests/integration/result-columns.test.ts.

/** A part of a Result, null where the column `presentBy` is. `parse` reads words of closed lists back. */
type Section<Part> = {
  fields: Fields<Part>;
  presentBy?: string;
  parse?: { parse(value: unknown): unknown };
};

type Widened<Value> = Value extends string ? string : Value extends number ? number : Value;
type Leaf<Value> = Column<string, never, Widened<Value>> | Elsewhere<Value>;
type Field<Value> =
  | (undefined extends Value ? Leaf<Value> & { mayBeAbsent: true } : Leaf<Value>)
  | (NonNullable<Value> extends object ? Section<NonNullable<Value>> : never);
type Fields<Part> = { [Key in keyof Part]-?: Field<Part[Key]> };

const { failure, http, tls } = Result.shape;

/**
 * `csv` is the place in the CSV export: names and places stay, a new one takes the next number. `required`: not null where
 * there is the field's part of the Result.
 */
export const FIELDS = {
  id: required(uuid('id', { csv: 1 })),
  variant: code('variant', VARIANT_CODES, { csv: 58 }),
  mainId: optional(uuid('main_id', { csv: 59 })),
  engineVersion: required(int2('engine_version', { csv: 57 })),
  url: required(text('url_id', { csv: 4 })),
  targetId: required(uuid('target_id', { csv: 3 })),
  vantage: vantage('vantage_id', {
    csv: { id: 6, name: 7, country: 8, region: 9, city: 10, carrier: 11, asn: 12, access: 13 },
  }),
  demo: required(bool('demo', { csv: 5 })),
  startedAt: required(instant('started_at', { csv: 2 })),
  ok: required(bool('ok', { csv: 14 })),
  failure: {
    presentBy: 'failure_reason_id',
    parse: failure,
    fields: {
      phase: required(text('failure_phase_id', { csv: 15 })),
      reason: required(text('failure_reason_id', { csv: 16 })),
      source: required(text('failure_source_id', { csv: 17 })),
      message: evidence(({ message = '' }) => message, { csv: 18 }),
    },
  },
  phases: {
    fields: {
      dns: micros('dns_us', { csv: 19 }),
      tcp: micros('tcp_us', { csv: 20 }),
      tls: micros('tls_us', { csv: 21 }),
      firstByte: micros('first_byte_us', { csv: 22 }),
      download: micros('download_us', { csv: 23 }),
      total: micros('total_us', { csv: 24 }),
      firstBody: optional(micros('first_body_us', { csv: 78 })),
    },
  },
  marks: {
    fields: {
      namelookup: micros('namelookup_us'),
      connect: micros('connect_us'),
      appconnect: micros('appconnect_us'),
      pretransfer: micros('pretransfer_us'),
      starttransfer: micros('starttransfer_us'),
      firstBody: optional(micros('first_body_mark_us')),
      total: micros('end_us'),
    },
  },
  network: {
    fields: {
      peerAddress: text('peer_address_id', { csv: 25 }),
      peerPort: int4('peer_port', { csv: 26 }),
      localAddress: text('local_address_id'),
      localPort: int4('local_port'),
      family: int2('family', { csv: 27 }),
      resolver: text('resolver_id', { csv: 28 }),
      minRttMs: micros('min_rtt_us', { csv: 29 }),
      retransmits: int4('retransmits', { csv: 30 }),
      sndCwnd: int4('snd_cwnd'),
      rttMs: optional(micros('rtt_us', { csv: 60 })),
      synRetransmits: optional(int4('syn_retransmits', { csv: 61 })),
      segmentsIn: optional(int4('segments_in')),
      segmentsOut: optional(int4('segments_out')),
      outOfOrder: optional(int4('out_of_order', { csv: 62 })),
      mss: optional(int4('mss', { csv: 79 })),
      attempts: evidence(({ attempts }) => attempts),
      attemptMs: leftOut(micros('attempt_us', { csv: 95 })),
    },
  },
  tls: {
    presentBy: 'resumed',
    parse: tls,
    fields: {
      version: text('tls_version_id', { csv: 31 }),
      cipher: text('cipher_id', { csv: 32 }),
      group: text('group_id', { csv: 33 }),
      alpn: text('alpn_id', { csv: 34 }),
      resumed: required(bool('resumed', { csv: 35 })),
      helloRetry: required(bool('hello_retry', { csv: 36 })),
      handshake: {
        presentBy: 'resumed',
        fields: {
          roundTrips: int2('round_trips', { csv: 37 }),
          expectedRoundTrips: int2('expected_round_trips', { csv: 38 }),
          rttRatio: float8('rtt_ratio', { csv: 39 }),
          wireMs: micros('wire_us', { csv: 40 }),
          localMs: micros('local_us', { csv: 41 }),
          workMs: optional(micros('tls_work_us', { csv: 80 })),
          flights: int4('flights'),
          records: required(int4('handshake_records')),
          bytesIn: required(int4('bytes_in', { csv: 42 })),
          bytesOut: required(int4('bytes_out')),
        },
      },
      certificate: {
        presentBy: 'certificate_id',
        fields: {
          subject: identity('subject', { csv: 43 }),
          issuer: identity('issuer', { csv: 44 }),
          notBefore: identity('notBefore'),
          notAfter: identity('notAfter', { csv: 45 }),
          sha256: certificate('certificate_id', { csv: 46 }),
          keyType: identity('keyType'),
          keyBits: identity('keyBits'),
          names: identity('names'),
          namesTotal: evidence(({ namesTotal }) => namesTotal),
          chainLength: int4('chain_length'),
          chainBytes: int4('chain_bytes', { csv: 47 }),
          verified: required(bool('verified', { csv: 48 })),
          verifyError: evidence(({ verifyError }) => verifyError),
          mustStaple: identity('mustStaple'),
          ocspUrl: identity('ocspUrl'),
          signature: optional(text('signature_id', { csv: 63 })),
          sent: shared('sent_chain_id', SentChain, 'sent', {
            csv: { messageBytes: 64, problems: 65, uncompressedBytes: 96 },
          }),
        },
      },
      staple: {
        presentBy: 'resumed',
        fields: {
          status: required(text('staple_status_id', { csv: 49 })),
          producedAt: instant('staple_produced_at'),
          thisUpdate: instant('staple_this_update'),
          nextUpdate: instant('staple_next_update'),
          bytes: required(int4('staple_bytes')),
          why: evidence(({ stapleWhy }) => stapleWhy),
        },
      },
      hellos: shared('hellos_id', Hellos, 'hellos'),
      session: shared('session_offer_id', SessionOffer, null, { csv: { earlyDataBytes: 66 } }),
      wire: evidence(({ wire }) => (wire === undefined ? undefined : wireRecordsOf(wire))),
      keyExchange: optional(text('key_exchange_id', { csv: 81 })),
      falseStart: optional(bool('false_start', { csv: 82 })),
      flightBytes: optional(int4('flight_bytes', { csv: 83 })),
      certificateCompression: optional(text('certificate_compression_id', { csv: 84 })),
    },
  },
  http: {
    presentBy: 'http_version_id',
    parse: http,
    fields: {
      version: required(text('http_version_id', { csv: 50 })),
      status: int2('http_status', { csv: 51 }),
      bytes: required(int4('http_bytes', { csv: 52 })),
      bodyCut: evidence(({ bodyCut }) => bodyCut),
      firstRecordBytes: int4('http_first_record_bytes'),
      maxRecordBytes: int4('http_max_record_bytes'),
      records: int4('http_records'),
      server: text('http_server_id', { csv: 53 }),
      location: evidence(({ location }) => location),
      firstPacketMs: optional(micros('first_packet_us', { csv: 67 })),
      firstUsableMs: optional(micros('first_usable_us', { csv: 68 })),
      firstBodyPacketMs: optional(micros('first_body_packet_us')),
      firstBodyRecordBytes: optional(int4('http_first_body_record_bytes', { csv: 85 })),
      encoding: optional(text('http_encoding_id', { csv: 86 })),
      altSvc: optional(text('http_alt_svc_id', { csv: 87 })),
      keepAlive: optional(bool('http_keep_alive', { csv: 88 })),
      workMs: optional(micros('http_work_us', { csv: 89 })),
    },
  },
  roundTrips: withFields(
    roundTripCounts('round_trip_counts_id', {
      csv: {
        'tcp.took': 69,
        'tls.took': 70,
        'tls.expected': 71,
        'firstPacket.took': 72,
        'firstByte.took': 73,
        'firstByte.expected': 74,
        'firstBody.took': 90,
        'download.took': 91,
      },
    }),
    {
      serverWindow: {
        presentBy: 'window_segments',
        fields: {
          segments: required(int4('window_segments', { csv: 92 })),
          bytes: required(int4('window_bytes', { csv: 93 })),
          exact: required(bool('window_exact', { csv: 94 })),
        } satisfies Fields<ServerWindow>,
      },
    },
  ),
  prober: {
    fields: {
      loopDelayMs: required(micros('loop_delay_us', { csv: 54 })),
      inFlight: required(int4('in_flight', { csv: 55 })),
      clean: required(bool('clean', { csv: 56 })),
      lateMs: optional(micros('late_us', { csv: 75 })),
      stampedBy: code('stamped_by', STAMPER_CODES, { csv: 76 }),
      clockOffsetMs: leftOut(float8('clock_offset_ms', { csv: 77 })),
    },
  },
  findings: evidence(({ findings = [] }) => findings),
} satisfies Fields<Result>;

type ColumnOf<Part> =
  | (Part extends { column: string } ? Part : never)
  | (Part extends { fields: infer Inner } ? ColumnOf<Inner[keyof Inner]> : never);
type AnyColumn = ColumnOf<(typeof FIELDS)[keyof typeof FIELDS]>;

/** The name of a column of `result`, as SQL is written with it. */
export type ResultColumn = AnyColumn['column'];
/** A row of `result` as node-postgres gives it, with its evidence. */
export type ResultRow = {
  [Each in AnyColumn as Each['column']]: Each extends Column<string, infer Cell, infer _> ? Cell : never;
} & { evidence: unknown };

/** Any field, for what walks the table. */
export type FieldOfResult =
  | Column
  | (Column & { fields: Record<string, FieldOfResult> })
  | Elsewhere
  | { fields: Record<string, FieldOfResult>; presentBy?: string; parse?: { parse(value: unknown): unknown } };
type AnySection = Extract<FieldOfResult, { fields: unknown }> & { presentBy?: string };

export const isSection = (field: FieldOfResult): field is AnySection => 'fields' in field;

/** The fields with a column that one object of a Result holds; `at` is the way to it. */
type Group = { at: readonly string[]; columns: { key: string; column: Column }[] };

function groupsIn(fields: Record<string, FieldOfResult>, at: string[] = []): Group[] {
  const entries = Object.entries(fields);
  const columns = entries.flatMap(([key, field]) => ('column' in field ? { key, column: field } : []));
  const inner = entries.flatMap(([key, field]) => (isSection(field) ? groupsIn(field.fields, [...at, key]) : []));
  return [{ at, columns }, ...inner];
}

/** Every field that has a column of its own, in the order in which rows are written. */
const GROUPS: readonly Group[] = groupsIn(FIELDS);
/** Every column of `result` with its type, in the order of COPY. */
export const COLUMNS: readonly Column[] = GROUPS.flatMap(({ columns }) => columns.map(({ column }) => column));

/** One row, in COPY's binary form. What is too long for the row is left in `to.tooLong`. */
export function writeResult(out: CopyWriter, result: StorableResult, to: Encoding): void {
  out.row(COLUMNS.length);
  for (const { at, columns, write } of WRITERS) {
    const holder = holderAt(result, at);
    if (holder) write(out, holder, to);
    else for (const { column } of columns) column.write(out, undefined, to);
  }
}

type WriteFields = (out: CopyWriter, holder: object, to: Encoding) => void;

/**
 * Compiles what writes the fields of one object. As source text, since only code of its own for each object lets the engine
 * read the fields at fixed places: a loop over the columns takes half as long again. Nothing but the table gets into it.
 */
function writerOf({ columns }: Group): WriteFields {
  const calls = columns.map(({ key, column }, index) => {
    const value = column.ofParent ? 'holder' : `holder[${JSON.stringify(key)}]`;
    return `columns[${index}].column.write(out, ${value}, to);`;
  });
  return new Function('columns', `return (out, holder, to) => { ${calls.join('\n')} };`)(columns) as WriteFields;
}

const WRITERS = GROUPS.map((group) => ({ ...group, write: writerOf(group) }));

type Holder = Record<string, unknown> | null | undefined;

function holderAt(result: StorableResult, at: readonly string[]): Holder {
  let holder: Holder = result;
  for (const key of at) holder = holder?.[key] as Holder;
  return holder;
}
