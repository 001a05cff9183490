import { describe, expect, it } from 'vitest';
import { admitBody, IN_FLIGHT_BYTES } from '#server/http/in-flight.ts';

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
