import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { beginStoring, GIVE_WAY_MS, inLane, LANES } from '#server/database/lane.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Some turns of the event loop, in which all that may go on does. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn();
}

/** Pieces that run until they are let go, and the order in which they began. */
function heldPieces(count: number) {
  const begun: number[] = [];
  const held = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const done = held.map(({ promise }, index) =>
    inLane(async () => {
      begun.push(index);
      await promise;
      return index;
    }),
  );
  return { begun, release: (index: number) => held[index]?.resolve(), done };
}

it('so many pieces of heavy reads run at once and no more, in the order in which they were asked for', async () => {
  const { begun, release, done } = heldPieces(LANES + 3);
  await settle();
  expect(begun).toEqual(Array.from({ length: LANES }, (_, index) => index));
  for (let index = 0; index < done.length; index++) {
    release(index);
    await settle();
    expect(begun).toHaveLength(Math.min(done.length, LANES + index + 1));
  }
  expect(await Promise.all(done)).toEqual(begun);
});

it('a piece that fails lets the next one run', async () => {
  await expect(inLane(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await inLane(async () => 7)).toBe(7);
});

it('a piece begins when no batch is being stored', async () => {
  const ends = [beginStoring(), beginStoring()];
  let ran = false;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const piece = inLane(async () => {
    ran = true;
  });
  ends[0]?.();
  await settle();
  expect(ran).toBe(false);
  ends[1]?.();
  await piece;
  expect(ran).toBe(true);
});

it('a piece waits for batches so long and no longer, the longer the more the piece before it took', async () => {
  const { least, most, factor } = GIVE_WAY_MS;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  for (const [tookMs, waits] of [
    [0, least],
    [100, 100 * factor],
    [100_000, most],
  ] as const) {
    await inLane(async () => {
      await vi.advanceTimersByTimeAsync(tookMs);
    });
    const end = beginStoring();
    let ran = false;
    const piece = inLane(async () => {
      ran = true;
    });
    await settle();
    await vi.advanceTimersByTimeAsync(waits - 1);
    await settle();
    expect(ran, `after ${tookMs} ms`).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await piece;
    expect(ran).toBe(true);
    end();
  }
});
