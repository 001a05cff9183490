import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChain } from '#probe/certificate/sent-chain.ts';
import { hellosOf } from '#probe/result/tls.ts';
import { sessionOfferOf } from '#probe/tls/session-offer.ts';
import { parseClientHello } from '#probe/wire/client-hello.ts';
import { recordOpener } from '#probe/wire/open-flight.ts';
import { readServerFlight } from '#probe/wire/server-flight.ts';
import { WireObserver } from '#probe/wire/wire.ts';
import { message, record } from '../../support/hostile-tls.ts';

const u16 = (value: number) => [value >> 8, value & 255];
const list16 = (values: number[]) => [...u16(values.length * 2), ...values.flatMap(u16)];
const extension = (type: number, data: number[]) => [...u16(type), ...u16(data.length), ...data];

/** A ClientHello as a browser's: two versions, three groups, shares of two, and names in ALPN. */
function clientHello(): Buffer {
  const alpn = [2, 104, 50, 8, ...Buffer.from('http/1.1')];
  const shares = [...u16(0x11ec), ...u16(3), 1, 2, 3, ...u16(29), ...u16(2), 4, 5];
  const extensions = [
    ...extension(0, [0, 4, 0, 0, 1, 97]),
    ...extension(10, list16([0x11ec, 29, 23])),
    ...extension(13, list16([0x0403, 0x0804])),
    ...extension(16, [...u16(alpn.length), ...alpn]),
    ...extension(43, [4, 3, 4, 3, 3]),
    ...extension(51, [...u16(shares.length), ...shares]),
  ];
  const head = [3, 3, ...Array(32).fill(8), 0, 0, 2, 0x13, 1, 1, 0];
  return message(1, Buffer.from([...head, ...u16(extensions.length), ...extensions]));
}

describe('a ClientHello', () => {
  it('tells what is offered, in its order', () => {
    expect(parseClientHello(clientHello().subarray(4))).toEqual({
      versions: [0x0304, 0x0303],
      groups: [0x11ec, 29, 23],
      keyShares: [0x11ec, 29],
      alpn: ['h2', 'http/1.1'],
      compressions: [],
      signatures: [0x0403, 0x0804],
      named: true,
    });
  });

  it('of an old client offers the version of its old field', () => {
    const old = Buffer.from([3, 2, ...Array(32).fill(8), 0, 0, 2, 0, 47, 1, 0]);
    expect(parseClientHello(old)).toMatchObject({ versions: [0x0302], groups: [], named: false });
  });

  it('is told the same however it was cut into chunks and records', () => {
    const hello = clientHello();
    const whole = new WireObserver();
    whole.observe('out', record(22, hello), 0);
    fc.assert(
      fc.property(fc.nat(hello.length), fc.array(fc.nat(1_000), { maxLength: 20 }), (split, cuts) => {
        const bytes = Buffer.concat([record(22, hello.subarray(0, split)), record(22, hello.subarray(split))]);
        const wire = new WireObserver();
        const places = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].sort((a, b) => a - b);
        for (const [at, to] of places.entries()) wire.observe('out', bytes.subarray(places[at - 1] ?? 0, to), at);
        expect(hellosOf(wire)).toEqual(hellosOf(whole));
      }),
    );
    expect(hellosOf(whole)).toMatchObject({ clientBytes: hello.length, keyShares: ['X25519MLKEM768', 'X25519'] });
  });

  it('keeps the bounds of a Result whatever its bytes', () => {
    const hello = clientHello();
    fc.assert(
      fc.property(fc.nat(hello.length - 1), fc.uint8Array({ maxLength: 60 }), (at, bytes) => {
        const wire = new WireObserver();
        const broken = Buffer.concat([hello.subarray(0, at), bytes, hello.subarray(at)]);
        wire.observe('out', record(22, broken), 0);
        const hellos = hellosOf(wire);
        expect(hellos?.offeredVersions.length ?? 0).toBeLessThanOrEqual(16);
        expect(hellos?.offeredGroups.length ?? 0).toBeLessThanOrEqual(32);
        for (const name of hellos?.offeredAlpn ?? []) expect(name).toMatch(/^[\x20-\x7e]{0,32}$/);
      }),
    );
  });
});

describe("the server's enciphered flight", () => {
  const secret = Buffer.alloc(32, 7);

  it('survives any records, and is not read under a suite or secret that does not fit', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), fc.nat(4), (records, suite) => {
        readServerFlight(records, 0x1300 + suite, secret);
      }),
    );
    expect(readServerFlight([], 0x1399, secret)).toBeNull();
    expect(recordOpener(0x1302, secret)).toBeNull();
  });

  it('opens the records of RFC 8448, section 3', () => {
    const traffic = Buffer.from('b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38', 'hex');
    const open = recordOpener(0x1301, traffic);
    // The first bytes of the server's flight: EncryptedExtensions. Its tag lies further on and is not looked at.
    const begin = Buffer.concat([Buffer.from('d1ff334a56f5bff6594a07cc87b580233f500f45', 'hex'), Buffer.alloc(16)]);
    const { type, content } = open?.(begin) ?? { type: 0, content: Buffer.alloc(0) };
    expect(type).not.toBe(0);
    expect(Buffer.from(content.subarray(0, 6)).toString('hex')).toBe('080000240022');
  });

  it('is kept in bounds of bytes and records, and no longer than until the response', () => {
    const wire = new WireObserver();
    wire.flight.open = true;
    for (let at = 0; at < 100; at += 1) wire.observe('in', record(23, Buffer.alloc(50)), at);
    expect(wire.flight.records).toHaveLength(64);
    const large = new WireObserver();
    large.flight.open = true;
    for (let at = 0; at < 100; at += 1) large.observe('in', record(23, Buffer.alloc(16_000)), at);
    expect(large.flight.records.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(131_072);
    const answered = new WireObserver();
    answered.flight.open = true;
    answered.beginResponse();
    answered.observe('in', record(23, Buffer.alloc(50)), 1);
    expect(answered.flight.records).toHaveLength(0);
  });
});

describe('a session', () => {
  const field = (tag: number, value: number[]) => [tag, value.length, ...value];
  const session = (fields: number[]) => Buffer.from([0x30, 3 + fields.length, 2, 1, 1, ...fields]);
  const offering = [...field(0xa9, [2, 2, 0x1c, 0x20]), ...field(0xaa, [4, 1, 9]), ...field(0xaf, [2, 2, 0x40, 0])];

  it('tells lifetime and early data', () => {
    const told = { tickets: 2, lifetimeSeconds: 7_200, earlyDataBytes: 16_384 };
    expect(sessionOfferOf('TLSv1.3', session(offering), 2)).toEqual(told);
    const label = Buffer.from('\0nodejs:tls:session:1\0\0\x01a', 'latin1');
    expect(sessionOfferOf('TLSv1.3', Buffer.concat([label, session(offering)]), 2)).toEqual(told);
  });

  it('of TLS 1.2 has a ticket or none, and never early data', () => {
    const told = sessionOfferOf('TLSv1.2', session(offering), 1);
    expect(told).toEqual({ tickets: 1, lifetimeSeconds: 7_200, earlyDataBytes: 0 });
    const bare = sessionOfferOf('TLSv1.2', session([]), 1);
    expect(bare).toEqual({ tickets: 0, lifetimeSeconds: null, earlyDataBytes: 0 });
    expect(sessionOfferOf('TLSv1.2', null, 0)).toBeNull();
  });

  it('survives any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const told = sessionOfferOf('TLSv1.3', bytes, 1);
        expect(told?.earlyDataBytes).toBeGreaterThanOrEqual(0);
        sessionOfferOf('TLSv1.3', Buffer.concat([session(offering), bytes]), 1);
      }),
    );
  });
});

describe('a chain of anything', () => {
  it('is read within bounds', () => {
    const certificates = fc.array(fc.uint8Array({ minLength: 1, maxLength: 100 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(certificates, (sent) => {
        const read = readChain(sent);
        expect(read).toMatchObject({ length: sent.length, bytes: sent.reduce((sum, { length }) => sum + length, 0) });
        expect(read?.certificates.length).toBeLessThanOrEqual(16);
        expect(read?.certificates[0]?.facts).toMatchObject({ subject: '', notAfter: null, keyType: 'unknown' });
      }),
      { numRuns: 40 },
    );
    expect(readChain([])).toBeNull();
  });
});
