import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerError } from '#contract/http1-answer.ts';
import { MAX_BODY_PIECES, MAX_INTERIM_ANSWERS, type Origin } from '#probe/http/exchange.ts';
import { Http2Answer } from '#probe/http/http2/answer.ts';
import { Http2Connection } from '#probe/http/http2/connection.ts';
import { FLAG, FRAME, FrameReader, frame } from '#probe/http/http2/frames.ts';
import { encodeFields, type Field, HpackDecoder } from '#probe/http/http2/hpack.ts';
import { decodeHuffman } from '#probe/http/http2/huffman.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const NONE = new Uint8Array();
const SETTINGS = frame(FRAME.settings, 0, 0, NONE);
const OK = frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0x88]));
const END = frame(FRAME.data, FLAG.endStream, 1, Buffer.from('hi'));
const origin = (at = 1): Origin => ({ at, plainBytes: 10, nth: at });

/** A connection that has asked for `/` and forgotten what it said, and the answer that it fills. */
function asked(body = '') {
  const pieces: Buffer[] = [];
  const answer = new Http2Answer(
    'GET',
    () => 7,
    (piece) => pieces.push(Buffer.from(piece)),
  );
  const connection = new Http2Connection();
  connection.ask(Buffer.from([0x82]), Buffer.from(body), answer);
  connection.takeOutgoing();
  return { connection, answer, text: () => Buffer.concat(pieces).toString() };
}

/** An answer that nobody waits for. */
const unheard = () =>
  new Http2Answer(
    'GET',
    () => 0,
    () => {},
  );

function framesOf(bytes: Buffer | null) {
  const seen: { type: number; flags: number; stream: number; bytes: number }[] = [];
  new FrameReader(({ type, flags, stream, payload }) => {
    seen.push({ type, flags, stream, bytes: payload.length });
  }).push(bytes ?? Buffer.alloc(0), origin());
  return seen;
}

describe('header blocks', () => {
  it('are read as in the examples of RFC 7541, with a table that outlives a block (C.6)', () => {
    const decoder = new HpackDecoder(65_536);
    const first = decoder.decode(
      hex(`4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7
        8f0b 97c8 e9ae 82ae 43d3`),
    );
    expect(first).toEqual([
      [':status', '302'],
      ['cache-control', 'private'],
      ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
      ['location', 'https://www.example.com'],
    ]);
    const second = decoder.decode(hex('4883 640e ffc1 c0bf'));
    expect(second).toEqual([[':status', '307'], ...first.slice(1)]);
  });

  it('keep no more of the table than its size, which the server may lower but not raise', () => {
    const decoder = new HpackDecoder(65_536);
    decoder.decode(hex('40 0161 0162'));
    expect(decoder.decode(hex('be'))).toEqual([['a', 'b']]);
    expect(decoder.decode(hex('20'))).toEqual([]);
    expect(() => decoder.decode(hex('be'))).toThrow(/names entry 62/);
    expect(() => decoder.decode(hex('3f ff ff 03'))).toThrow(/wants a table/);
  });

  it('may take so many bytes and no more, however few say so', () => {
    const block = Buffer.concat([hex('40 0161 0462626262'), Buffer.alloc(100, 0xbe)]);
    expect(new HpackDecoder(101 * 37).decode(block)).toHaveLength(101);
    expect(() => new HpackDecoder(101 * 37 - 1).decode(block)).toThrow(/more than/);
  });

  it('of ours are read again', () => {
    const fields: Field[] = [
      [':path', `/${'x'.repeat(300)}`],
      ['authorization', 'Bearer ä'],
    ];
    const block = encodeFields(fields, (name) => name === 'authorization');
    expect(new HpackDecoder(65_536).decode(block)).toEqual(fields);
    expect(block[block.length - 1 - 'authorization'.length - 1 - 'Bearer ä'.length - 1]).toBe(0x10);
  });

  it('that are anything at all are read or refused, never more', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          new HpackDecoder(1_000).decode(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(AnswerError);
        }
      }),
    );
  });

  it.each([
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['a8eb10649cbf', 'no-cache'],
    ['', ''],
  ])('hold Huffman codes: %s', (code, text) => {
    expect(decodeHuffman(hex(code))).toBe(text);
  });

  it.each(['ffffffff', 'ff', '1fff', '18'])('hold no wrong Huffman codes: %s', (code) => {
    expect(decodeHuffman(hex(code))).toBeNull();
  });
});

describe('an HTTP/2 connection', () => {
  it('greets, asks and widens the window in one go', () => {
    const connection = new Http2Connection();
    connection.ask(Buffer.from([0x82]), Buffer.alloc(0), unheard());
    const bytes = connection.takeOutgoing();
    expect(bytes?.subarray(0, 24).toString()).toBe('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(framesOf(bytes?.subarray(24) ?? null)).toEqual([
      { type: FRAME.settings, flags: 0, stream: 0, bytes: 18 },
      { type: FRAME.windowUpdate, flags: 0, stream: 0, bytes: 4 },
      { type: FRAME.headers, flags: FLAG.endHeaders | FLAG.endStream, stream: 1, bytes: 1 },
    ]);
  });

  it('cuts a large header block into frames', () => {
    const connection = new Http2Connection();
    connection.ask(Buffer.alloc(40_000), Buffer.alloc(0), unheard());
    const sent = framesOf(connection.takeOutgoing()?.subarray(24) ?? null).slice(2);
    expect(sent.map(({ type, bytes }) => [type, bytes])).toEqual([
      [FRAME.headers, 16_384],
      [FRAME.continuation, 16_384],
      [FRAME.continuation, 7_232],
    ]);
    expect(sent.map(({ flags }) => flags)).toEqual([FLAG.endStream, 0, FLAG.endHeaders]);
  });

  it('sends a body in the window that the server gives, and the rest when it is widened', () => {
    const connection = new Http2Connection();
    const small = Buffer.from([0, 4, 0, 0, 0, 3]);
    connection.push(frame(FRAME.settings, 0, 0, small), origin());
    connection.ask(Buffer.from([0x83]), Buffer.from('hello'), unheard());
    const sent = () => framesOf(connection.takeOutgoing()).filter(({ type }) => type === FRAME.data);
    const first = framesOf(connection.takeOutgoing()?.subarray(24) ?? null);
    expect(first.filter(({ type }) => type === FRAME.data)).toEqual([{ type: 0, flags: 0, stream: 1, bytes: 3 }]);
    expect(connection.waiting).toBeNull();
    connection.push(frame(FRAME.windowUpdate, 0, 1, Buffer.from([0, 0, 0, 9])), origin());
    expect(connection.waiting).toBe('request');
    expect(sent()).toEqual([{ type: 0, flags: FLAG.endStream, stream: 1, bytes: 2 }]);
  });

  it('gives the head, the body and the record in which the answer began, however the bytes are cut', async () => {
    const early = frame(
      FRAME.headers,
      FLAG.endHeaders,
      1,
      encodeFields([[':status', '103']], () => false),
    );
    const bytes = Buffer.concat([SETTINGS, early, OK, END]);
    const began = SETTINGS.length + early.length;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (cut) => {
        const { connection, answer, text } = asked();
        connection.push(bytes.subarray(0, cut), { at: 1, plainBytes: cut, nth: 0 });
        connection.push(bytes.subarray(cut), { at: 2, plainBytes: bytes.length - cut, nth: 1 });
        expect(await answer.head.promise).toMatchObject({ status: 200, version: '2', at: cut > began ? 1 : 2 });
        expect(await answer.body.promise).toEqual({ at: 7, bytes: 2 });
        expect(text()).toBe('hi');
      }),
    );
  });

  it('acknowledges settings and pings, and nothing that acknowledges ours', () => {
    const { connection } = asked();
    connection.push(SETTINGS, origin());
    connection.push(frame(FRAME.settings, FLAG.ack, 0, NONE), origin());
    connection.push(frame(FRAME.ping, 0, 0, Buffer.alloc(8)), origin());
    connection.push(frame(FRAME.ping, FLAG.ack, 0, Buffer.alloc(8)), origin());
    expect(connection.waiting).toBe('acknowledgements');
    expect(framesOf(connection.takeOutgoing()).map(({ type, flags }) => [type, flags])).toEqual([
      [FRAME.settings, FLAG.ack],
      [FRAME.ping, FLAG.ack],
    ]);
    expect(connection.takeOutgoing()).toBeNull();
  });

  it('asks again on the next stream, gives the window back, and takes what comes late of the one before', async () => {
    const { connection, answer } = asked();
    connection.push(Buffer.concat([SETTINGS, OK, END]), origin());
    expect(answer.complete).toBe(true);
    connection.takeOutgoing();
    const next = unheard();
    connection.ask(Buffer.from([0x82]), Buffer.alloc(0), next);
    expect(framesOf(connection.takeOutgoing())).toEqual([
      { type: FRAME.windowUpdate, flags: 0, stream: 0, bytes: 4 },
      { type: FRAME.headers, flags: FLAG.endHeaders | FLAG.endStream, stream: 3, bytes: 1 },
    ]);
    const late = frame(FRAME.rstStream, 0, 1, Buffer.alloc(4));
    const [ok, end] = [OK, END].map((bytes) =>
      Buffer.concat([bytes.subarray(0, 8), Buffer.from([3]), bytes.subarray(9)]),
    );
    connection.push(Buffer.concat([late, ok as Buffer, end as Buffer]), origin(5));
    expect(await next.head.promise).toMatchObject({ status: 200, at: 5 });
    expect(await next.body.promise).toMatchObject({ bytes: 2 });
    expect(connection.goingAway).toBe(false);
    connection.push(frame(FRAME.goaway, 0, 0, Buffer.from([0, 0, 0, 3, 0, 0, 0, 0])), origin());
    expect(connection.goingAway).toBe(true);
  });

  it('says in which record the body begins, also where its frame began in an earlier one', async () => {
    const { connection, answer } = asked();
    const began = Buffer.concat([SETTINGS, OK, END.subarray(0, 9)]);
    connection.push(began, { at: 1, plainBytes: began.length, nth: 0 });
    connection.push(END.subarray(9), { at: 29, plainBytes: 2, nth: 1 });
    expect((await answer.head.promise).nth).toBe(0);
    expect(answer.bodyStart).toEqual({ at: 29, plainBytes: 2, nth: 1 });
  });

  it('refuses an answer that comes before the request', () => {
    const connection = new Http2Connection();
    expect(() => connection.push(Buffer.concat([SETTINGS, OK]), origin())).toThrow('answered before it was asked');
  });

  it.each([
    [
      'interim answers',
      MAX_INTERIM_ANSWERS,
      encodeFields([[':status', '103']], () => false),
      FRAME.headers,
      FLAG.endHeaders,
    ],
    ['frames beside the body', 998, Buffer.alloc(5), FRAME.priority, 0],
  ])('takes so many %s and no more', (_, most, payload, type, flags) => {
    const { connection } = asked();
    const one = frame(type, flags, 1, payload);
    connection.push(Buffer.concat([SETTINGS, OK.subarray(0, 0)]), origin());
    for (let n = 0; n < most; n += 1) connection.push(one, origin());
    if (type === FRAME.priority) connection.push(OK, origin());
    expect(() => connection.push(one, origin())).toThrow(/more than/);
  });

  it('takes a body in so many pieces and no more', () => {
    const { connection } = asked();
    connection.push(Buffer.concat([SETTINGS, OK]), origin());
    const one = frame(FRAME.data, 0, 1, Buffer.from('x'));
    for (let n = 0; n < MAX_BODY_PIECES; n += 1) connection.push(one, origin());
    expect(() => connection.push(one, origin())).toThrow(/pieces/);
  });

  it('survives any bytes', () => {
    const frames = fc.record({
      type: fc.nat(12),
      flags: fc.nat(255),
      stream: fc.nat(3),
      payload: fc.uint8Array({ maxLength: 40 }),
    });
    fc.assert(
      fc.property(fc.array(frames, { maxLength: 30 }), fc.uint8Array({ maxLength: 50 }), (sent, tail) => {
        const { connection } = asked('body');
        const bytes = sent.map(({ type, flags, stream, payload }) => frame(type, flags, stream, payload));
        try {
          connection.push(Buffer.concat([SETTINGS, ...bytes, tail]), origin());
        } catch (error) {
          expect(error).toBeInstanceOf(AnswerError);
        }
      }),
    );
  });
});
