import { describe, expect, it } from 'vitest';
import { bufferedWrites, type Exchange, replay } from '#analysis/what-if/exchange.ts';

const MODERN: Exchange = {
  rttMs: 40,
  window: 10,
  segmentBytes: 1_448,
  noDelay: true,
  flightWrites: 'buffered',
  answerWrites: 'records',
  handshake: [[127, 6, 32, 2_500, 110, 74]],
  falseStart: false,
  greeting: [255, 255],
  answer: [4_118, 4_118],
  firstBodyIndex: 0,
};
const LEGACY: Exchange = {
  ...MODERN,
  handshake: [
    [100, 3_000, 338, 9],
    [202, 6, 45],
  ],
  falseStart: true,
  greeting: [],
  answer: [1_000],
};

const milestones = (exchange: Exchange, client: 'browser' | 'api' = 'api') => replay(exchange, client).milestones;

describe('the replay of an exchange', () => {
  it('takes a round trip each for connect, TLS 1.3 and a short answer', () => {
    expect(replay(MODERN, 'api')).toEqual({
      milestones: { handshake: 80, firstUsable: 120, firstBody: 120, total: 120 },
      pauses: [],
    });
  });

  it('takes two for TLS 1.2, and one of them for a browser that starts early', () => {
    expect(milestones(LEGACY)).toEqual({ handshake: 120, firstUsable: 160, firstBody: 160, total: 160 });
    expect(milestones(LEGACY, 'browser')).toEqual({ handshake: 80, firstUsable: 120, firstBody: 120, total: 120 });
    const refused = { ...LEGACY, falseStart: false };
    expect(milestones(refused, 'browser')).toEqual(milestones(refused));
  });

  it('takes one more for a HelloRetryRequest', () => {
    expect(milestones({ ...MODERN, handshake: [[99, 6], ...MODERN.handshake] }).handshake).toBe(120);
  });

  it('pauses for a chain that overflows the window', () => {
    const long = { ...MODERN, handshake: [[127, 6, 32, 15_000, 110, 74]] };
    expect(replay(long, 'api')).toMatchObject({
      milestones: { handshake: 120, total: 160 },
      pauses: [{ step: 'handshake', afterBytes: 4_096 + 7 * 1_448 }],
    });
  });

  it('makes the first record wait for all its segments, and the body for headers of their own', () => {
    const large = { ...MODERN, answer: [16_406, 4_000] };
    expect(milestones(large)).toEqual({ handshake: 80, firstUsable: 160, firstBody: 160, total: 160 });
    const split = { ...MODERN, answer: [157, 16_406, 4_000], firstBodyIndex: 1 };
    expect(milestones(split)).toEqual({ handshake: 80, firstUsable: 120, firstBody: 160, total: 160 });
  });

  it('joins what a server writes at once into full segments', () => {
    const records = { ...MODERN, greeting: [], answer: [8_214, 8_022, 8_022], window: 17 };
    const total = (answerWrites: Exchange['answerWrites']) => milestones({ ...records, answerWrites }).total;
    expect([total('records'), total('rest'), total('whole')]).toEqual([160, 160, 120]);
    const longer = { ...records, window: 18 };
    expect(milestones({ ...longer, answerWrites: 'records' }).total).toBe(120);
    expect(milestones({ ...longer, answer: [8_214, 8_022, 8_022, 93], answerWrites: 'records' }).total).toBe(160);
    expect(milestones({ ...longer, answer: [8_214, 8_022, 8_022, 93], answerWrites: 'rest' }).total).toBe(120);
  });

  it('lets a greeting take its part of the window', () => {
    const full = { ...MODERN, greeting: [], answer: [14_480] };
    expect(milestones(full).total).toBe(120);
    expect(milestones({ ...full, greeting: [62] }).total).toBe(160);
  });

  it('holds the second partial write back under Nagle, unless the window was to blame', () => {
    const flight = { ...LEGACY, handshake: [[100, 4_600, 338, 9], [51]] };
    expect(milestones(flight).handshake).toBe(120);
    const held = { ...flight, noDelay: false };
    expect(replay(held, 'api')).toMatchObject({
      milestones: { handshake: 160 },
      pauses: [{ step: 'handshake', afterBytes: 4_096 }],
    });
  });
});

describe("OpenSSL's writes of a flight", () => {
  it('holds back what fits its buffer', () => {
    expect(bufferedWrites([100, 2_000, 300])).toEqual([2_400]);
    expect(bufferedWrites([4_096])).toEqual([4_096]);
    expect(bufferedWrites([])).toEqual([]);
  });

  it('writes the buffer when it is full, what is larger at once, and the rest at the end', () => {
    expect(bufferedWrites([127, 6, 5_000, 300])).toEqual([4_096, 1_337]);
    expect(bufferedWrites([127, 12_469, 302])).toEqual([4_096, 8_500, 302]);
    expect(bufferedWrites([8_000, 8_000])).toEqual([8_000, 8_000]);
  });
});
