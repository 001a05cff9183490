/**
 * What a TLS connection shows on the wire. The tap gives every chunk of both directions to a WireObserver, which cuts it
 * into records (records.ts) and, while the handshake is in clear text, into messages (messages.ts, cursor.ts): the hellos
 * (hello.ts, client-hello.ts), a TLS 1.2 chain and key exchange, alerts. The server's encrypted TLS 1.3 flight is kept
 * (flight-keeper.ts) and can be deciphered after the last stamp with the secret of the key log (server-flight.ts,
 * open-flight.ts). Numbers get their IANA names in names.ts. No I/O; untrusted bytes throughout.
 */
import { FlightKeeper } from './flight-keeper.ts';
import { parseServerHello, parseServerKeyExchange, type ServerHello, type ServerKeyExchange } from './hello.ts';
import { type HandshakeMessage, MESSAGE, MessageReader } from './messages.ts';
import { alertName, messageName, recordTypeName } from './names.ts';
import { RECORD, RecordReader, type TlsRecord } from './records.ts';

export type Direction = 'in' | 'out';

/** A record as the wire showed it; `type` names the record, and for clear handshake records its first message. */
export type SeenRecord = TlsRecord & { direction: Direction; name: string };

/** Arrival or sending of a chunk of bytes, before anything was done with it. */
export type SeenChunk = { direction: Direction; at: number; bytes: number };

/** A clear-text alert and who sent it. */
export type SeenAlert = { direction: Direction; level: number; name: string };

const MAX_RECORDS_KEPT = 64;
export const MAX_CHUNKS_KEPT = 512;
const TLS13 = 0x0304;
/** Bytes of a Certificate message that holds no certificate: the length of its list. */
const EMPTY_LIST_LENGTH = 3;
const FROM_SERVER = [MESSAGE.serverHello, MESSAGE.certificate, MESSAGE.serverKeyExchange];
const FROM_CLIENT = [MESSAGE.clientHello];

/** One direction's readers, and whether its handshake records are still clear text. */
type Side = { records: RecordReader; messages: MessageReader; clear: boolean; names: string[]; alert: number[] };

/** Records since the request: the first ones themselves, the others counted with their largest size. */
type ResponseTally = { early: TlsRecord[]; count: number; max: number };

/**
 * Watches both directions of one connection. Pure: it takes bytes and instants, keeps bounded evidence, and survives any
 * bytes. What it could not read stays null.
 */
export class WireObserver {
  readonly records: SeenRecord[] = [];
  readonly chunks: SeenChunk[] = [];
  serverHello: ServerHello | null = null;
  helloRetry = false;
  /** The body of the first ClientHello, which is read once somebody asks (`parseClientHello`). */
  clientHello: Buffer | null = null;
  /** What a TLS 1.2 ServerKeyExchange says. */
  keyExchange: ServerKeyExchange | null = null;
  /** The body of a Certificate message in clear text (up to TLS 1.2). */
  certificate: Buffer | null = null;
  /** Up to TLS 1.2: the server asked for a client certificate, and we had none to show. */
  showedNoCertificate = false;
  /** The server's encrypted records of TLS 1.3, kept until the response begins. */
  readonly flight = new FlightKeeper();
  alert: SeenAlert | null = null;
  readonly bytes = { in: 0, out: 0 };
  readonly #sides: Record<Direction, Side>;
  #response: ResponseTally | null = null;

  constructor() {
    this.#sides = { in: this.#side('in', FROM_SERVER), out: this.#side('out', FROM_CLIENT) };
  }

  /** Takes a chunk that arrived (`in`) or is about to be sent (`out`) at `at`. */
  observe(direction: Direction, chunk: Uint8Array, at: number): void {
    this.bytes[direction] += chunk.length;
    if (this.chunks.length < MAX_CHUNKS_KEPT) this.chunks.push({ direction, at, bytes: chunk.length });
    this.#sides[direction].records.push(chunk, at);
  }

  /** Complete records of a direction so far. */
  count(direction: Direction): number {
    return this.#sides[direction].records.count;
  }

  /** The first bytes of the server that cannot be TLS, or null. */
  get garbled(): Buffer | null {
    return this.#sides.in.records.garbled;
  }

  /** The server's records from here on may belong to the response. */
  beginResponse(): void {
    this.flight.open = false;
    this.#response = { early: [], count: 0, max: 0 };
  }

  /**
   * The record that the response begins in: complete when its first byte arrived (`since`), and of `bytes` with its
   * header. Where no such one is known, the first one after `skipped` others.
   */
  responseStart(since: number, skipped = 0, bytes: number | null = null): TlsRecord | null {
    const early = this.#response?.early ?? [];
    const from = early.findIndex(({ at }) => at >= since);
    if (from === -1) return null;
    return early.find((each) => each.at === since && each.bytes === bytes) ?? early[from + skipped] ?? null;
  }

  /** The application records from the one that the response begins in (see `responseStart`); sizes with their headers. */
  responseRecords(
    since: number,
    skipped = 0,
    bytes: number | null = null,
  ): { count: number; first: number | null; max: number | null } {
    const tally = this.#response ?? { early: [], count: 0, max: 0 };
    const start = this.responseStart(since, skipped, bytes);
    const early = start ? tally.early.slice(tally.early.indexOf(start)) : [];
    const count = early.length + tally.count;
    const max = early.reduce((largest, record) => Math.max(largest, record.bytes), tally.max);
    return { count, first: early[0]?.bytes ?? null, max: count === 0 ? null : max };
  }

  /**
   * The record `further` behind one of the response's that arrived whole at `at`, and has `bytes` with its header where that
   * is known; one that is counted wrong (a ticket in between) is found by its size.
   */
  responseRecord(start: TlsRecord, further: number, at: number, bytes: number | null): TlsRecord | null {
    const early = this.#response?.early ?? [];
    const from = early.indexOf(start);
    const counted = early[from + further];
    const fits = (record: TlsRecord | undefined) => record?.at === at && (bytes === null || record.bytes === bytes);
    if (fits(counted)) return counted ?? null;
    return early.slice(Math.max(0, from)).find(fits) ?? (counted?.at === at ? counted : null);
  }

  #tallyResponse(record: TlsRecord): void {
    if (!this.#response || record.type !== RECORD.applicationData) return;
    if (this.#response.early.length < MAX_RECORDS_KEPT) {
      this.#response.early.push(record);
      return;
    }
    this.#response.count += 1;
    this.#response.max = Math.max(this.#response.max, record.bytes);
  }

  #side(direction: Direction, wanted: readonly number[]): Side {
    const side: Side = {
      clear: true,
      names: [],
      alert: [],
      messages: new MessageReader(wanted, (message) => this.#onMessage(direction, side, message)),
      records: new RecordReader({
        wantsPayload: (type) =>
          type === RECORD.applicationData
            ? direction === 'in' && this.flight.open
            : side.clear && (type === RECORD.handshake || type === RECORD.alert),
        payload: (type, piece) => {
          if (type === RECORD.applicationData) this.flight.add(piece);
          else if (type === RECORD.handshake) side.messages.push(piece);
          else for (const byte of piece.subarray(0, 2)) if (side.alert.length < 2) side.alert.push(byte);
        },
        record: (record) => this.#onRecord(direction, side, record),
      }),
    };
    return side;
  }

  #onRecord(direction: Direction, side: Side, record: TlsRecord): void {
    const name = side.names.length > 0 ? side.names.join('+') : recordTypeName(record.type);
    side.names = [];
    if (record.type === RECORD.alert) this.#onAlert(direction, side);
    // A change of cipher hides what follows, but in TLS 1.3 it is a decoy that may come before clear messages.
    if (record.type === RECORD.changeCipherSpec && !this.helloRetry) side.clear = false;
    if (record.type === RECORD.applicationData) side.clear = false;
    if (direction === 'in') {
      if (record.type === RECORD.applicationData) this.flight.endRecord();
      this.#tallyResponse(record);
    }
    if (this.records.length < MAX_RECORDS_KEPT) this.records.push({ ...record, direction, name });
  }

  #onAlert(direction: Direction, side: Side): void {
    const [level, description] = side.alert;
    side.alert = [];
    if (level === undefined || description === undefined || this.alert) return;
    if (level === 1 || level === 2) this.alert = { direction, level, name: alertName(description) };
  }

  #onMessage(direction: Direction, side: Side, message: HandshakeMessage): void {
    if (side.names.length < 4) side.names.push(messageName(message.type).slice(0, 24));
    // A client answers a CertificateRequest alone with this message; with an empty list where it has nothing to show.
    if (direction === 'out' && message.type === MESSAGE.certificate) {
      this.showedNoCertificate = message.length <= EMPTY_LIST_LENGTH;
    }
    if (!message.body) return;
    if (message.type === MESSAGE.clientHello) this.clientHello ??= message.body;
    if (message.type === MESSAGE.serverHello) this.#onServerHello(side, message.body);
    if (message.type === MESSAGE.certificate) this.certificate ??= message.body;
    if (message.type === MESSAGE.serverKeyExchange) this.keyExchange ??= parseServerKeyExchange(message.body);
  }

  #onServerHello(side: Side, body: Uint8Array): void {
    const hello = parseServerHello(body);
    if (!hello || (this.serverHello && !this.serverHello.retry)) return;
    this.serverHello = hello;
    if (hello.retry) this.helloRetry = true;
    // All that follows a TLS 1.3 ServerHello is encrypted.
    else if (hello.version === TLS13) {
      side.clear = false;
      this.flight.open = true;
    }
  }
}
