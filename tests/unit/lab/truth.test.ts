import { describe, expect, it } from 'vitest';
import { connectionsOf } from '../../support/packets/connections.ts';
import { truthOf } from '../../support/packets/truth.ts';
import { captureOf, PROBER, record, tcpPacket } from './packets.ts';

const RTT = 28;
const OURS = 4_294_967_000;
const THEIRS = 77;
const MSS = 1_448;

/** A packet of ours from this offset of our bytes, and of the server's. Numbers of ours wrap on the way. */
const sends = (
  at: number,
  offset: number,
  acknowledges: number,
  payload: Buffer = Buffer.alloc(0),
): [number, Buffer] => [
  at,
  tcpPacket({ sequence: OURS + 1 + offset, acknowledges: THEIRS + 1 + acknowledges, payload }),
];
const answers = (at: number, offset: number, acknowledges: number, payload: Buffer): [number, Buffer] => [
  at,
  tcpPacket({ from: 'server', sequence: THEIRS + 1 + offset, acknowledges: OURS + 1 + acknowledges, payload }),
];
const syn = (at: number): [number, Buffer] => [at, tcpPacket({ sequence: OURS, flags: 'S' })];
const synAck = (at: number): [number, Buffer] => [
  at,
  tcpPacket({ from: 'server', sequence: THEIRS, acknowledges: OURS + 1, flags: 'S' }),
];

const CLIENT_HELLO = record(22, 500);
const HELLO13 = record(22, 122, Buffer.from('0200007603030000002b00020304', 'hex'));
/** ServerHello, change of cipher, and the encrypted flight: 4,344 bytes, three segments. */
const FLIGHT = Buffer.concat([HELLO13, record(20, 6), record(23, 3 * MSS - 128)]);
const FINISHED = Buffer.concat([record(20, 6), record(23, 74)]);
const REQUEST = record(23, 100);
const TICKETS = Buffer.concat([record(23, 287), record(23, 287)]);
const ANSWER = record(23, 2 * MSS);
const part = (bytes: Buffer, index: number) => bytes.subarray(index * MSS, (index + 1) * MSS);

const truth = (packets: [number, Buffer][]) => {
  const [connection] = connectionsOf(captureOf(packets), PROBER);
  if (!connection) throw new Error('no connection');
  return truthOf(connection, { lineRttMs: RTT });
};

const connected = [syn(0), synAck(28.2), sends(28.3, 0, 0), sends(30, 0, 0, CLIENT_HELLO)];
const flight = [0, 1, 2].map((i) => answers(58.2 + i / 100, i * MSS, 500, part(FLIGHT, i)));
const asked = [sends(60, 500, FLIGHT.length, FINISHED), sends(60.1, 580, FLIGHT.length, REQUEST)];
const ticketsCame = answers(88.3, FLIGHT.length, 680, TICKETS);
const answerAt = FLIGHT.length + TICKETS.length;

describe('the truth of a connection', () => {
  it('dates what happened, and counts one round trip for each', () => {
    const whole = [0, 1].map((i) => answers(88.4 + i / 100, answerAt + i * MSS, 680, part(ANSWER, i)));
    const seen = truth([...connected, ...flight, ...asked, ticketsCame, ...whole]);
    expect(seen.roundTrips).toEqual({ tls: 1, firstPacket: 1, firstUsable: 1 });
    expect(seen.connectMs).toBeCloseTo(28.2, 5);
    expect(seen.tlsMs).toBeCloseTo(30.02, 5);
    expect(seen.wireMs).toBeCloseTo(28.22, 5);
    expect(seen.firstPacketMs).toBeCloseTo(28.3, 5);
    expect(seen.firstUsableMs).toBeCloseTo(28.31, 5);
    expect(seen).toMatchObject({ synRepeats: 0, repeatedIn: 0, repeatedOut: 0, outOfOrder: 0 });
  });

  it('counts what a bare acknowledgement of ours released', () => {
    const [first, second, third] = flight;
    const packets = [first, second, sends(58.3, 500, 2 * MSS), answers(86.5, 2 * MSS, 500, part(FLIGHT, 2))];
    expect(third).toBeDefined();
    expect(truth([...connected, ...packets.flatMap((packet) => (packet ? [packet] : []))]).roundTrips.tls).toBeNull();
    const complete = [...packets, sends(88, 500, FLIGHT.length, FINISHED)];
    const seen = truth([...connected, ...complete.flatMap((packet) => (packet ? [packet] : []))]);
    expect(seen.roundTrips.tls).toBe(2);
    expect(seen.wireMs).toBeCloseTo(56.5, 5);
  });

  it('tells the first packet of the answer from its first usable record', () => {
    const late = [
      answers(88.4, answerAt, 680, part(ANSWER, 0)),
      sends(88.5, 680, answerAt + MSS),
      answers(116.8, answerAt + MSS, 680, part(ANSWER, 1)),
    ];
    const seen = truth([...connected, ...flight, ...asked, ticketsCame, ...late]);
    expect(seen.roundTrips).toEqual({ tls: 1, firstPacket: 1, firstUsable: 2 });
  });

  it('waits for a lost segment, and says that it came again', () => {
    const [first, , third] = flight;
    const packets = [first, third, sends(58.3, 500, MSS), answers(87, MSS, 500, part(FLIGHT, 1))];
    const rest = sends(88, 500, FLIGHT.length, FINISHED);
    const seen = truth([...connected, ...packets.flatMap((packet) => (packet ? [packet] : [])), rest]);
    expect(seen.wireMs).toBeCloseTo(57, 5);
    expect(seen.outOfOrder).toBe(1);
  });

  it('takes repeated SYNs for one connect, and a new SYN on the same port for a new connection', () => {
    const packets = [syn(0), syn(1_000), synAck(1_028), [2_000, tcpPacket({ sequence: 5, flags: 'S' })]] as const;
    const [first, second] = connectionsOf(captureOf(packets.map(([at, ip]) => [at, ip])), PROBER);
    expect(first && truthOf(first)).toMatchObject({ synRepeats: 1, connectMs: 1_028, rttMs: 28 });
    expect(second?.segments).toHaveLength(1);
  });

  it('ends the handshake of TLS 1.2 with the record behind the change of cipher', () => {
    const hello = record(22, 1_000, Buffer.from('0200', 'hex'));
    const finished = Buffer.concat([record(20, 6), record(22, 45)]);
    const seen = truth([
      ...connected,
      answers(58.2, 0, 500, hello),
      sends(60, 500, 1_000, Buffer.concat([record(22, 75), record(20, 6), record(22, 45)])),
      answers(88.3, 1_000, 626, finished),
      sends(89, 626, 1_051, REQUEST),
      answers(117.2, 1_051, 726, record(23, 300)),
    ]);
    expect(seen.roundTrips).toEqual({ tls: 2, firstPacket: 1, firstUsable: 1 });
    expect(seen.handshakeEndAt).toBeCloseTo(88.3, 5);
  });
});
