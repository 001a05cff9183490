import { AnswerError } from '#contract/http1-answer.ts';
import {
  MAX_BODY_BYTES,
  MAX_BODY_PIECES,
  MAX_HEADER_BYTES,
  MAX_INTERIM_ANSWERS,
  type Origin,
  tooManyPieces,
} from '../exchange.ts';
import { broken, goawayCode, goneAway, HTTP_1_1_REQUIRED, resetBeforeEnd, resetCode } from './endings.ts';
import { FLAG, FRAME, type Frame, FrameReader, frame, MAX_FRAME_BYTES, SETTING, unpadded } from './frames.ts';
import { type Field, HpackDecoder } from './hpack.ts';
import { SendWindow } from './send-window.ts';

/** Frames that carry nothing of the answer's body; a server in order sends fewer than ten. */
const MAX_CONTROL_FRAMES = 1_000;
/** All of a body that is read, with some padding: our flow control never slows a download, and ends a longer one. */
const WINDOW_BYTES = MAX_BODY_BYTES + 65_536;
/** What the window of a connection is before it is widened. */
const FIRST_WINDOW_BYTES = 65_535;

const GREETING = greeting();

/** Receives the answer, in this order; interim answers (1xx) are skipped. */
export type AnswerSink = {
  onHead(fields: Field[], origin: Origin): void;
  onBody(piece: Buffer, origin: Origin): void;
  onEnd(): void;
};

/**
 * The client's half of an HTTP/2 connection with one request at a time (RFC 9113): takes the server's bytes, and holds what
 * is to be sent. Throws an AnswerError where the server breaks the rules or sends more than a probe takes. No I/O.
 */
export class Http2Connection {
  /** Whether the server takes no further request. */
  goingAway = false;
  /** Whether it wants this request by HTTP/1.1. */
  http1Required = false;
  #sink: AnswerSink | null = null;
  /** The stream of the newest request. */
  #stream = -1;
  readonly #frames = new FrameReader((each) => this.#take(each));
  readonly #hpack = new HpackDecoder(MAX_HEADER_BYTES);
  #out: Buffer[] = [];
  /** What is to be sent: a part of the request, or nothing but acknowledgements. */
  waiting: 'request' | 'acknowledgements' | null = null;
  #asked: SendWindow | null = null;
  #peerWindow = FIRST_WINDOW_BYTES;
  #controlFrames = 0;
  #interim = 0;
  /** Bytes of all requests' bodies, and of the newest answer's. */
  #sent = 0;
  #received = 0;
  #pieces = 0;
  #greeted = false;
  #answered = false;
  #ended = false;
  #block: { pieces: Buffer[]; bytes: number; endStream: boolean; origin: Origin } | null = null;

  /** Makes the connection's first bytes and a request, whose header block is `block`; a further one once its answer is over. */
  ask(block: Buffer, body: Buffer, sink: AnswerSink): void {
    // What was already to be said answers frames that came before, and follows our greeting.
    const before = this.#sink === null ? [GREETING, ...this.#out] : [...this.#out, widening(this.#received)];
    this.#sink = sink;
    this.#stream += 2;
    this.#out = [...before, ...headerFrames(this.#stream, block, body.length === 0)];
    this.#received = 0;
    this.#pieces = 0;
    this.#interim = 0;
    this.#answered = false;
    this.#ended = false;
    // The least that the server lets us send: as if it had given nothing back of the connection's window.
    this.#asked = new SendWindow(FIRST_WINDOW_BYTES - this.#sent, this.#peerWindow, body);
    this.#sent += body.length;
    this.#sendBody();
  }

  /** What is to be sent now; it is given once. */
  takeOutgoing(): Buffer | null {
    if (this.#out.length === 0) return null;
    this.waiting = null;
    const bytes = this.#out.length === 1 ? (this.#out[0] ?? null) : Buffer.concat(this.#out);
    this.#out = [];
    return bytes;
  }

  /** Takes the clear text of the next record. */
  push(chunk: Buffer, origin: Origin): void {
    this.#frames.push(chunk, origin);
  }

  #take(each: Frame): void {
    const { type, payload } = each;
    if (!this.#greeted && type !== FRAME.settings) broken('began with something else than SETTINGS');
    this.#greeted = true;
    if (type !== FRAME.data || payload.length === 0) this.#countControl();
    if (this.#block && type !== FRAME.continuation) broken('interrupted a header block');
    if (type === FRAME.data) this.#onData(each);
    else if (type === FRAME.headers) this.#onHeaders(each);
    else if (type === FRAME.continuation) this.#onContinuation(each);
    else if (type === FRAME.settings) this.#onSettings(each);
    else if (type === FRAME.ping) this.#onPing(each);
    else if (type === FRAME.windowUpdate) this.#onWindowUpdate(each);
    else if (type === FRAME.rstStream) this.#onReset(each);
    else if (type === FRAME.goaway) this.#onGoaway(each);
    else if (type === FRAME.pushPromise) broken('pushed a stream, which we forbade');
  }

  #onGoaway(each: Frame): void {
    this.goingAway = true;
    const code = goawayCode(each, this.#stream);
    if (code === null) return;
    this.http1Required = code === HTTP_1_1_REQUIRED;
    throw goneAway(code);
  }

  #onReset(each: Frame): void {
    const code = resetCode(each, this.#stream);
    if (code === null) return;
    if (this.#ended) {
      // What is left of the request is not wanted any more; the connection goes on (RFC 9113, section 8.1).
      this.#asked = null;
      return;
    }
    this.http1Required = code === HTTP_1_1_REQUIRED;
    throw resetBeforeEnd(code);
  }

  #end(): void {
    this.#ended = true;
    this.#sink?.onEnd();
  }

  #countControl(): void {
    this.#controlFrames += 1;
    if (this.#controlFrames <= MAX_CONTROL_FRAMES) return;
    throw new AnswerError('http_too_large', `the server sent more than ${MAX_CONTROL_FRAMES} frames beside the body`);
  }

  #onData(each: Frame): void {
    this.#mustBeOurs(each);
    if (!this.#answered) broken('sent a body before its head');
    this.#pieces += 1;
    if (this.#pieces > MAX_BODY_PIECES) throw tooManyPieces();
    this.#received += each.payload.length;
    if (this.#received > WINDOW_BYTES) broken('sent more than the flow-control window holds');
    const piece = unpadded(each);
    if (piece.length > 0) this.#sink?.onBody(piece, each.payloadOrigin);
    if (each.flags & FLAG.endStream) this.#end();
  }

  #onHeaders(each: Frame): void {
    this.#mustBeOurs(each);
    const { flags, origin } = each;
    this.#block = { pieces: [], bytes: 0, endStream: (flags & FLAG.endStream) !== 0, origin };
    this.#addToBlock(unpadded(each), flags);
  }

  #onContinuation(each: Frame): void {
    this.#mustBeOurs(each);
    if (!this.#block) broken('continued no header block');
    this.#addToBlock(each.payload, each.flags);
  }

  #addToBlock(piece: Buffer, flags: number): void {
    const block = this.#block;
    if (!block) return;
    block.pieces.push(piece);
    block.bytes += piece.length;
    if (block.bytes > MAX_HEADER_BYTES) {
      throw new AnswerError('http_too_large', `the header block takes more than ${MAX_HEADER_BYTES} bytes`);
    }
    if (!(flags & FLAG.endHeaders)) return;
    this.#block = null;
    const [first = piece] = block.pieces;
    const whole = block.pieces.length === 1 ? first : Buffer.concat(block.pieces);
    this.#onBlock(this.#hpack.decode(whole), block.endStream, block.origin);
  }

  /** An interim answer, the head, or what trails the body. */
  #onBlock(fields: Field[], endStream: boolean, origin: Origin): void {
    if (!this.#answered) {
      if (isInterim(fields)) {
        if (endStream) broken('ended its answer with an interim one');
        this.#interim += 1;
        if (this.#interim <= MAX_INTERIM_ANSWERS) return;
        throw new AnswerError('http_too_large', `the server sent more than ${MAX_INTERIM_ANSWERS} interim answers`);
      }
      this.#answered = true;
      this.#sink?.onHead(fields, origin);
    } else if (!endStream) broken('sent a second head');
    if (endStream) this.#end();
  }

  #onSettings({ flags, payload }: Frame): void {
    if (flags & FLAG.ack) return;
    if (payload.length % 6 !== 0) broken('sent SETTINGS of a wrong length');
    for (let at = 0; at < payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      if (payload.readUInt16BE(at) !== SETTING.initialWindowSize) continue;
      if (value > 0x7fffffff) broken('wants a window that is too large');
      this.#asked?.resize(value - this.#peerWindow);
      this.#peerWindow = value;
    }
    this.#acknowledge(frame(FRAME.settings, FLAG.ack, 0, new Uint8Array()));
    this.#sendBody();
  }

  #onPing({ flags, payload }: Frame): void {
    if (payload.length !== 8) broken('sent a PING of a wrong length');
    if (!(flags & FLAG.ack)) this.#acknowledge(frame(FRAME.ping, FLAG.ack, 0, payload));
  }

  #onWindowUpdate({ stream, payload }: Frame): void {
    if (payload.length !== 4) broken('sent a WINDOW_UPDATE of a wrong length');
    const more = payload.readUInt32BE(0) & 0x7fffffff;
    if (more === 0) broken('widened a window by nothing');
    if (stream > Math.max(1, this.#stream)) broken(`widened stream ${stream}, on which nothing was asked`);
    if (stream !== 0 && stream < this.#stream) return;
    // Before the request there is nothing to widen: no body is larger than a connection's first window.
    if (this.#asked?.widen(stream === 0, more) === false) broken('widened a window beyond its largest size');
    this.#sendBody();
  }

  #acknowledge(frame: Buffer): void {
    this.waiting ??= 'acknowledgements';
    this.#out.push(frame);
  }

  #sendBody(): void {
    for (let piece = this.#asked?.next(MAX_FRAME_BYTES); piece; piece = this.#asked?.next(MAX_FRAME_BYTES)) {
      this.waiting = 'request';
      this.#out.push(frame(FRAME.data, piece.last ? FLAG.endStream : 0, this.#stream, piece.bytes));
    }
  }

  #mustBeOurs({ stream }: Frame): void {
    if (stream !== Math.max(1, this.#stream)) broken(`answered on stream ${stream}, on which nothing was asked`);
    if (!this.#asked) broken('answered before it was asked');
  }
}

/** What every connection of ours begins with. */
function greeting(): Buffer {
  const ours = [
    [SETTING.enablePush, 0],
    [SETTING.initialWindowSize, WINDOW_BYTES],
    [SETTING.maxHeaderListSize, MAX_HEADER_BYTES],
  ] as const;
  const settings = Buffer.alloc(6 * ours.length);
  for (const [n, [setting, value]] of ours.entries()) {
    settings.writeUInt16BE(setting, 6 * n);
    settings.writeUInt32BE(value, 6 * n + 2);
  }
  const wider = Buffer.alloc(4);
  wider.writeUInt32BE(WINDOW_BYTES - FIRST_WINDOW_BYTES);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(FRAME.settings, 0, 0, settings),
    frame(FRAME.windowUpdate, 0, 0, wider),
  ]);
}

/** Gives the server back what it has used of the connection's window. */
function widening(bytes: number): Buffer {
  if (bytes === 0) return Buffer.alloc(0);
  const wider = Buffer.alloc(4);
  wider.writeUInt32BE(bytes);
  return frame(FRAME.windowUpdate, 0, 0, wider);
}

function headerFrames(stream: number, block: Buffer, endStream: boolean): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += MAX_FRAME_BYTES) {
    const last = at + MAX_FRAME_BYTES >= block.length ? FLAG.endHeaders : 0;
    const type = at === 0 ? FRAME.headers : FRAME.continuation;
    const end = at === 0 && endStream ? FLAG.endStream : 0;
    frames.push(frame(type, last | end, stream, block.subarray(at, at + MAX_FRAME_BYTES)));
  }
  return frames;
}

function isInterim(fields: Field[]): boolean {
  const status = fields.find(([name]) => name === ':status')?.[1] ?? '';
  return /^1\d\d$/.test(status) && status !== '101';
}
