import { describe, expect, it } from 'vitest';
import { beginPage, PAGES_FIRST_MS, STORED_AT_ONCE, takingTurns } from '#server/database/ingest-queue.ts';
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

describe('large bodies that have been read', () => {
  const present = new AbortController().signal;
  /** A request that takes a turn and keeps it until it is told to end. */
  function storing(signal = present) {
    const over = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const done = takingTurns(signal, async (take) => {
      await take();
      begun.resolve();
      await over.promise;
    });
    const end = () => {
      over.resolve();
      return done;
    };
    return { begun: begun.promise, done, end };
  }
  const hasBegun = async ({ begun }: { begun: Promise<void> }) =>
    await Promise.race([begun.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);

  it(`are stored ${STORED_AT_ONCE} at once, the others in the order in which they came`, async () => {
    const all = Array.from({ length: STORED_AT_ONCE + 3 }, () => storing());
    for (let ended = 0; ended <= 3; ended++) {
      const begun = await Promise.all(all.map(hasBegun));
      expect(begun).toEqual(all.map((_, n) => n < STORED_AT_ONCE + ended));
      await all[ended]?.end();
    }
    for (const each of all) await each.end();
    // All turns are free again.
    const again = Array.from({ length: STORED_AT_ONCE }, () => storing());
    for (const each of again) expect(await hasBegun(each)).toBe(true);
    for (const each of again) await each.end();
  });

  it('wait for a page that is being made, and no longer than that', async () => {
    const endPage = beginPage();
    const one = storing();
    expect(await hasBegun(one)).toBe(false);
    endPage();
    await one.begun;
    await one.end();
    // Pages that come without a pause hold nobody up for good.
    const endNext = beginPage();
    const began = performance.now();
    const other = storing();
    await other.begun;
    expect(performance.now() - began).toBeGreaterThan(PAGES_FIRST_MS - 5);
    await other.end();
    endNext();
  });

  it('whose senders go away lose their place, and those behind them move up', async () => {
    const sender = new AbortController();
    const running = [storing(), storing()];
    const [left, behind] = [storing(sender.signal), storing()];
    sender.abort();
    await expect(left.done).rejects.toMatchObject({ code: 'unavailable' });
    await running[0]?.end();
    await behind.begun;
    await expect(storing(sender.signal).done).rejects.toMatchObject({ code: 'unavailable' });
    for (const each of [...running, behind]) await each.end();
    const again = Array.from({ length: STORED_AT_ONCE }, () => storing());
    for (const each of again) expect(await hasBegun(each)).toBe(true);
    for (const each of again) await each.end();
  });
});
