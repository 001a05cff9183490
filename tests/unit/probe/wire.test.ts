import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseClientHello } from '#probe/wire/client-hello.ts';
import { parseServerHello, parseServerKeyExchange } from '#probe/wire/hello.ts';
import { MessageReader, parseCertificateMessage } from '#probe/wire/messages.ts';
import { RecordReader, type TlsRecord } from '#probe/wire/records.ts';
import { WireObserver } from '#probe/wire/wire.ts';

const RETRY_RANDOM = 'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c';

function record(type: number, payload: Buffer): Buffer {
  const header = Buffer.from([type, 3, 3, 0, 0]);
  header.writeUInt16BE(payload.length, 3);
  return Buffer.concat([header, payload]);
}

function message(type: number, body: Buffer): Buffer {
  const header = Buffer.from([type, 0, 0, 0]);
  header.writeUIntBE(body.length, 1, 3);
  return Buffer.concat([header, body]);
}

/** A TLS 1.3 ServerHello for the group; with `retry` a HelloRetryRequest. */
function serverHello(group: number, retry = false): Buffer {
  const share = retry ? [0, 51, 0, 2] : [0, 51, 0, 6];
  const key = retry ? [] : [0, 2, 9, 9];
  const extensions = Buffer.from([0, 43, 0, 2, 3, 4, ...share, group >> 8, group & 255, ...key]);
  const random = retry ? Buffer.from(RETRY_RANDOM, 'hex') : Buffer.alloc(32, 7);
  const tail = Buffer.from([0, 0x13, 0x01, 0, 0, extensions.length]);
  return message(2, Buffer.concat([Buffer.from([3, 3]), random, tail, extensions]));
}

function readAll(bytes: Buffer, cuts: number[]): { records: TlsRecord[]; reader: RecordReader } {
  const records: TlsRecord[] = [];
  const sink = { record: (seen: TlsRecord) => records.push(seen), payload: () => {}, wantsPayload: () => true };
  const reader = new RecordReader(sink);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    reader.push(bytes.subarray(from, to), from);
    from = to;
  }
  return { records, reader };
}

describe('the record reader', () => {
  it('finds the same records however the bytes are cut', () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(payloads, fc.array(fc.nat(2_000)), (bodies, cuts) => {
        const bytes = Buffer.concat(bodies.map((body) => record(23, Buffer.from(body))));
        const { records, reader } = readAll(bytes, cuts);
        expect(records.map((seen) => seen.bytes)).toEqual(bodies.map((body) => body.length + 5));
        expect(reader.garbled).toBeNull();
      }),
    );
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.array(fc.nat(2_000)), (bytes, cuts) => {
        readAll(Buffer.from(bytes), cuts);
      }),
    );
  });

  it('stops at the first header that cannot be one and keeps it', () => {
    const { records, reader } = readAll(Buffer.from('HTTP/1.1 400 Bad Request\r\n'), []);
    expect(records).toEqual([]);
    expect(reader.garbled?.toString()).toBe('HTTP/');
  });

  it('stamps the first and the last byte of a record', () => {
    const { records } = readAll(record(22, Buffer.alloc(95)), [40, 70]);
    expect(records).toMatchObject([{ startedAt: 0, at: 70, bytes: 100 }]);
  });
});

describe('the message parsers', () => {
  const parsers = {
    parseServerHello,
    parseServerKeyExchange,
    parseClientHello,
    certificatesOf12: (body: Uint8Array) => parseCertificateMessage(body, false),
    certificatesOf13: (body: Uint8Array) => parseCertificateMessage(body, true),
  };
  it.each(Object.entries(parsers))('%s survives any bytes', (_, parse) => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => void parse(bytes)));
  });

  it('join messages over records, and split records into messages', () => {
    const seen: number[] = [];
    const reader = new MessageReader([], ({ type, length }) => seen.push(type, length));
    const bytes = Buffer.concat([
      message(2, Buffer.alloc(70)),
      message(11, Buffer.alloc(300)),
      message(14, Buffer.alloc(0)),
    ]);
    for (let at = 0; at < bytes.length; at += 33) reader.push(bytes.subarray(at, at + 33));
    expect(seen).toEqual([2, 70, 11, 300, 14, 0]);
  });

  it('count the certificates of a chain and their bytes', () => {
    const body = Buffer.concat([
      Buffer.from([0, 0, 11, 0, 0, 3]),
      Buffer.alloc(3),
      Buffer.from([0, 0, 2]),
      Buffer.alloc(2),
    ]);
    expect(parseCertificateMessage(body, false)?.map(({ length }) => length)).toEqual([3, 2]);
    expect(parseCertificateMessage(body.subarray(0, 9), false)).toBeNull();
  });
});

describe('the observer', () => {
  it('reads version, cipher and group of a ServerHello', () => {
    const wire = new WireObserver();
    wire.observe('in', record(22, serverHello(0x11ec)), 5);
    expect(wire.serverHello).toEqual({
      legacyVersion: 0x0303,
      version: 0x0304,
      cipher: 0x1301,
      group: 0x11ec,
      retry: false,
      alpn: null,
      session: false,
    });
    expect(wire.records).toMatchObject([{ name: 'server_hello', direction: 'in', at: 5 }]);
  });

  it.each([
    ['neither', [], [], false],
    ['an id', [9, 9], [], true],
    ['the promise of a ticket', [], [0, 35, 0, 0], true],
  ])('knows of a session up to TLS 1.2 by a ServerHello with %s', (_what, id, extensions, session) => {
    const head = Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32, 7)]);
    const tail = Buffer.from([id.length, ...id, 0xc0, 0x2f, 0, 0, extensions.length, ...extensions]);
    const wire = new WireObserver();
    wire.observe('in', record(22, message(2, Buffer.concat([head, tail]))), 5);
    expect(wire.serverHello).toMatchObject({ version: 0x0303, session });
  });

  it('tells a HelloRetryRequest and reads the ServerHello after it', () => {
    const wire = new WireObserver();
    const changeCipher = record(20, Buffer.from([1]));
    wire.observe('in', Buffer.concat([record(22, serverHello(23, true)), changeCipher]), 1);
    wire.observe('in', record(22, serverHello(23)), 2);
    expect(wire.helloRetry).toBe(true);
    expect(wire.serverHello).toMatchObject({ retry: false, group: 23 });
  });

  it('names a clear alert and who sent it', () => {
    const wire = new WireObserver();
    wire.observe('in', record(21, Buffer.from([2, 40])), 1);
    expect(wire.alert).toEqual({ direction: 'in', level: 2, name: 'handshake_failure' });
  });

  it('holds bounded evidence of an endless stream', () => {
    const wire = new WireObserver();
    const flood = Buffer.concat(Array.from({ length: 1_000 }, () => record(22, message(0, Buffer.alloc(0)))));
    for (let round = 0; round < 20; round += 1) wire.observe('in', flood, round);
    expect(wire.count('in')).toBe(20_000);
    expect(wire.records).toHaveLength(64);
  });

  it('survives any bytes in both directions', () => {
    const chunk = fc.tuple(fc.constantFrom('in' as const, 'out' as const), fc.uint8Array({ maxLength: 400 }));
    const hello = serverHello(29);
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 10 }), fc.nat(hello.length - 1), fc.nat(255), (chunks, at, value) => {
        const wire = new WireObserver();
        const broken = Buffer.from(hello);
        broken[at] = value;
        wire.observe('in', record(22, broken), 0);
        for (const [direction, bytes] of chunks) wire.observe(direction, bytes, 1);
      }),
    );
  });

  it('counts the records of a response from its first byte on', () => {
    const wire = new WireObserver();
    wire.beginResponse();
    wire.observe('in', record(23, Buffer.alloc(100)), 1);
    wire.observe('in', Buffer.concat([record(23, Buffer.alloc(40)), record(23, Buffer.alloc(4_096))]), 2);
    for (let index = 0; index < 100; index += 1) wire.observe('in', record(23, Buffer.alloc(9_000)), 3);
    expect(wire.responseRecords(2)).toEqual({ count: 102, first: 45, max: 9_005 });
    expect(wire.responseRecords(2, 1)).toEqual({ count: 101, first: 4_101, max: 9_005 });
  });
});
