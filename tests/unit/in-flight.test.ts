import { describe, expect, it } from 'vitest';
import { admitBody, IN_FLIGHT_BYTES, STORED_AT_ONCE, turnToStore } from '#server/http/in-flight.ts';

const MOST = IN_FLIGHT_BYTES;
const request = (headers: Record<string, string>) => new Request('http://127.0.0.1/', { headers });
const ofLength = (bytes: number) => request({ 'content-length': String(bytes) });

describe('large bodies', () => {
  it('are let in up to 32 MiB at once; the next is to come again within seconds, and then finds a place', () => {
    const release = Array.from({ length: 32 }, () => admitBody(ofLength(MOST / 32), MOST));
    for (let time = 0; time < 20; time++) {
      const refused = (() => {
        try {
          return admitBody(ofLength(1), MOST);
        } catch (error) {
          return error;
        }
      })();
      expect(refused).toMatchObject({ code: 'rate_limited', retryAfter: expect.any(Number) });
      expect((refused as { retryAfter: number }).retryAfter).toSatisfy((after: number) => after >= 1 && after <= 5);
    }
    release.pop()?.();
    release.push(admitBody(ofLength(1), MOST));
    for (const each of release) each();
  });

  it('count by what they unpack to, and as the largest where they do not say their length', () => {
    const gzipped = admitBody(request({ 'content-length': String(MOST / 20), 'content-encoding': 'gzip' }), MOST);
    expect(() => admitBody(ofLength(MOST / 2), MOST)).toThrow('send it again');
    admitBody(ofLength(MOST / 4), MOST)();
    expect(() => admitBody(request({}), MOST)).toThrow('send it again');
    gzipped();
    admitBody(request({}), MOST)();
  });

  it('are let in alone, however large they say they are', () => {
    admitBody(ofLength(10 * MOST), 20 * MOST)();
    admitBody(ofLength(MOST), MOST)();
  });
});

describe('large bodies that have been read', () => {
  it(`are stored ${STORED_AT_ONCE} at once, the others in the order in which they came`, async () => {
    const begun: number[] = [];
    const turns = Array.from({ length: STORED_AT_ONCE + 3 }, async (_, n) => {
      const end = await turnToStore();
      begun.push(n);
      return end;
    });
    const first = await Promise.all(turns.slice(0, STORED_AT_ONCE));
    expect(begun).toEqual(Array.from({ length: STORED_AT_ONCE }, (_, n) => n));
    for (const end of first) end();
    for (const turn of turns.slice(STORED_AT_ONCE)) (await turn)();
    expect(begun).toEqual(turns.map((_, n) => n));
    // All turns are free again.
    const again = await Promise.all(Array.from({ length: STORED_AT_ONCE }, turnToStore));
    for (const end of again) end();
  });
});
