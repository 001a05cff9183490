import { type Delivery, TcpSender } from '../tcp-sender/tcp-sender.ts';

/** Milliseconds from the start of the connect (SYN) to the end of the handshake, the first record of the answer, the first that holds a byte of the body, and the end of the body. */
export type Milestones = { handshake: number; firstUsable: number; firstBody: number; total: number };

/** Browsers start TLS 1.2 early where they may (False Start), and take compressed certificates. */
export type Client = 'browser' | 'api';

/**
 * What a server sends on one connection, as sizes of TLS records with their headers. Each group of `handshake` answers
 * something that the client sent, and costs a round trip at least.
 */
export type Exchange = {
  rttMs: number;
  /** Segments that the server may send before the first acknowledgement. */
  window: number;
  segmentBytes: number;
  noDelay: boolean;
  /** How the server writes: a flight of the handshake through OpenSSL's buffer, each record of the answer by itself, or the rest of it at once after the first; or all that it has at once. */
  flightWrites: 'buffered' | 'whole';
  answerWrites: 'records' | 'rest' | 'whole';
  handshake: readonly (readonly number[])[];
  /** When the request leaves, if not after the handshake: with the ClientHello (0-RTT), or after another answer on the same connection. */
  request?: 'early' | 'further';
  /** Whether a browser may send its request before the last group of the handshake (RFC 7918). */
  falseStart: boolean;
  /** Records that the server sends before the answer once the handshake is over: tickets, the greeting of HTTP/2. */
  greeting: readonly number[];
  answer: readonly number[];
  /** Index of the first record of the answer that holds a byte of the body; -1 where there is no body. */
  firstBodyIndex: number;
};

/** Buffer of OpenSSL's handshake: it is written when full, and at the end of a flight. */
const HANDSHAKE_BUFFER_BYTES = 4_096;

/** A wait of the server for acknowledgements: in which step, and after how many bytes of that flight; the greeting counts as part of the answer's. */
export type Pause = { step: 'handshake' | 'answer'; afterBytes: number };

/** What comes of an exchange: when the milestones are reached, without any work of either side, and where the server waited. */
export type Replay = { milestones: Milestones; pauses: Pause[] };

/** Plays the exchange through the model of a TCP sender. The client answers what it needs at once. */
export function replay(exchange: Exchange, client: Client): Replay {
  const { rttMs, handshake, greeting, answer, firstBodyIndex, segmentBytes, noDelay, flightWrites, answerWrites } =
    exchange;
  const sender = new TcpSender({ rttMs, initialWindow: exchange.window, segmentBytes, noDelay });
  const pauses: Pause[] = [];
  const early = startsEarly(exchange, client);
  let clientMs = rttMs;
  let doneMs = rttMs;
  for (const [index, records] of handshake.entries()) {
    const last = index === handshake.length - 1;
    const deliveries = sender.send(
      clientMs + rttMs / 2,
      ...(flightWrites === 'whole' ? [sum(records)] : bufferedWrites(records)),
    );
    pauses.push(...pausesOf('handshake', deliveries));
    const arrivedMs = deliveries.at(-1)?.atMs ?? clientMs + rttMs;
    // With False Start the request leaves with the client's own Finished, before the server's comes.
    if (!(early && last)) doneMs = arrivedMs;
    clientMs = doneMs;
  }
  if (exchange.request === 'early') clientMs -= rttMs;
  const written = writesOf(answer, answerWrites);
  let before = sum(greeting);
  let deliveries = sender.send(clientMs + rttMs / 2, ...greeting, ...written);
  let startMs = 0;
  if (exchange.request === 'further') {
    startMs = deliveries.at(-1)?.atMs ?? clientMs;
    deliveries = sender.send(startMs + rttMs / 2, ...written);
    before = 0;
  }
  pauses.push(...pausesOf('answer', deliveries));
  const readableMs = (records: number) => arrivalOf(deliveries, before + sum(answer.slice(0, records))) - startMs;
  const milestones = {
    handshake: exchange.request === 'further' ? 0 : doneMs,
    firstUsable: readableMs(1),
    firstBody: readableMs(Math.max(0, firstBodyIndex) + 1),
    total: readableMs(answer.length),
  };
  return { milestones, pauses };
}

/** Round trips until each milestone, counted: in the replay nothing else takes time. */
export function tripsOf(exchange: Exchange, client: Client): Milestones {
  return replay({ ...exchange, rttMs: 1 }, client).milestones;
}

function startsEarly({ handshake, falseStart }: Exchange, client: Client): boolean {
  return client === 'browser' && falseStart && handshake.length > 1;
}

/** How often the client answers a flight of the server before the handshake is done. */
export function turnsOf(exchange: Exchange, client: Client): number {
  return exchange.handshake.length - (startsEarly(exchange, client) ? 2 : 1);
}

/** OpenSSL's writes of a flight: its buffer whenever it is full, what is larger than the buffer at once, and the rest. */
export function bufferedWrites(records: readonly number[]): number[] {
  const writes: number[] = [];
  let held = 0;
  for (const record of records) {
    let left = record;
    if (held + left <= HANDSHAKE_BUFFER_BYTES) {
      held += left;
      continue;
    }
    if (held > 0) {
      left -= HANDSHAKE_BUFFER_BYTES - held;
      writes.push(HANDSHAKE_BUFFER_BYTES);
    }
    if (left >= HANDSHAKE_BUFFER_BYTES) {
      writes.push(left);
      left = 0;
    }
    held = left;
  }
  return held > 0 ? [...writes, held] : writes;
}

function writesOf(answer: readonly number[], how: Exchange['answerWrites']): number[] {
  const apart = { records: answer.length, rest: 1, whole: 0 }[how];
  const rest = sum(answer.slice(apart));
  return rest > 0 ? [...answer.slice(0, apart), rest] : [...answer];
}

/** When so many bytes have arrived. */
function arrivalOf(deliveries: readonly Delivery[], bytes: number): number {
  let arrived = 0;
  for (const { atMs, bytes: more } of deliveries) {
    arrived += more;
    if (arrived >= bytes) return atMs;
  }
  return deliveries.at(-1)?.atMs ?? Number.NaN;
}

function pausesOf(step: Pause['step'], deliveries: readonly Delivery[]): Pause[] {
  let afterBytes = 0;
  return deliveries.slice(0, -1).map(({ bytes }) => {
    afterBytes += bytes;
    return { step, afterBytes };
  });
}

export function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
