import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { closeDatabase } from '#server/database/database.ts';
import { TimedCache } from '#server/database/timed-cache.ts';

const { DATABASE_URL } = process.env;
beforeEach(() => {
  process.env.DATABASE_URL = 'postgresql://nobody@127.0.0.1:9/none'; // nothing connects to it
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
});
afterEach(async () => {
  vi.useRealTimers();
  await closeDatabase();
});
afterAll(() => {
  if (DATABASE_URL === undefined) delete process.env.DATABASE_URL;
  else process.env.DATABASE_URL = DATABASE_URL;
});

const FRESH_MS = 100;

/** Values that say how many were read before them. */
function counted(options: { most?: number; staleMs?: number } = {}) {
  const kept = new TimedCache<number>('numbers', { freshMs: FRESH_MS, ...options });
  let reads = 0;
  const get = (of = 'a', since?: number) => kept.get(of, async () => reads++, since);
  return { kept, get };
}

it('a value is read again when it is no longer fresh, and where the clock was set back', async () => {
  const { get } = counted();
  expect([await get(), await get()]).toEqual([0, 0]);
  vi.setSystemTime(1_000_000 + FRESH_MS - 1);
  expect(await get()).toBe(0);
  vi.setSystemTime(1_000_000 + FRESH_MS);
  expect(await get()).toBe(1);
  vi.setSystemTime(1_000_000);
  expect(await get()).toBe(2);
});

it('a value that was read together with something else is kept like others, and asked for without reading it', async () => {
  const { kept, get } = counted();
  expect(await kept.fresh('a')).toBeUndefined();
  kept.put('a', 7);
  expect([await kept.fresh('a'), await get()]).toEqual([7, 7]);
  vi.setSystemTime(1_000_000 + FRESH_MS);
  expect(await kept.fresh('a')).toBeUndefined();
  const two = counted({ most: 2 }).kept;
  two.forget();
  for (const of of ['b', 'c', 'd']) two.put(of, 7);
  expect(await Promise.all(['b', 'c', 'd'].map((of) => two.fresh(of)))).toEqual([undefined, undefined, 7]);
});

it('a value is read again for whoever needs one that is newer, and for all once it is forgotten', async () => {
  const { kept, get } = counted();
  expect(await get('a', 1_000_000)).toBe(0);
  expect(await get('a', 1_000_000)).toBe(0);
  expect(await get('a', 1_000_001)).toBe(1);
  kept.forget();
  expect(await get()).toBe(2);
});

it('a read that fails is not kept, and takes no later one along', async () => {
  const { kept } = counted();
  const failing = kept.get('a', () => Promise.reject(new Error('away')));
  kept.forget();
  const later = kept.get('a', async () => 7);
  await expect(failing).rejects.toThrow('away');
  expect(await later).toBe(7);
  expect(await kept.get('a', async () => 8)).toBe(7);
  await expect(kept.get('b', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await kept.get('b', async () => 9)).toBe(9);
});

it('a value that is no longer fresh is still used until it is stale, and read anew once meanwhile', async () => {
  const { get } = counted({ staleMs: 3 * FRESH_MS });
  expect(await get()).toBe(0);
  vi.setSystemTime(1_000_000 + FRESH_MS);
  expect(await Promise.all([get(), get()])).toEqual([0, 0]);
  expect([await get(), await get()]).toEqual([1, 1]);
  vi.setSystemTime(1_000_000 + 4 * FRESH_MS);
  expect(await get()).toBe(2);
});

it('where reading anew fails the value is used on, until it is stale', async () => {
  const kept = new TimedCache<number>('numbers', { freshMs: FRESH_MS, staleMs: 2 * FRESH_MS });
  const fails = () => Promise.reject(new Error('away'));
  expect(await kept.get('a', async () => 7)).toBe(7);
  vi.setSystemTime(1_000_000 + FRESH_MS);
  expect([await kept.get('a', fails), await kept.get('a', fails)]).toEqual([7, 7]);
  vi.setSystemTime(1_000_000 + 2 * FRESH_MS);
  await expect(kept.get('a', fails)).rejects.toThrow('away');
});

it('what is forgotten while it is read anew stays forgotten', async () => {
  const kept = new TimedCache<number>('numbers', { freshMs: FRESH_MS, staleMs: 3 * FRESH_MS });
  const late = Promise.withResolvers<number>();
  await kept.get('a', async () => 7);
  vi.setSystemTime(1_000_000 + FRESH_MS);
  expect(await kept.get('a', () => late.promise)).toBe(7);
  kept.forget();
  expect(await kept.get('a', async () => 8)).toBe(8);
  late.resolve(9);
  await late.promise;
  expect(await kept.get('a', async () => 10)).toBe(8);
});

it('so many values are kept and no more', async () => {
  const { get } = counted({ most: 2 });
  await get('a');
  await get('b');
  expect([await get('a'), await get('b')]).toEqual([0, 1]);
  expect(await get('c')).toBe(2);
  expect(await get('a')).toBe(3);
});

it('values of one name are the same in every copy of a module, and of another database are others', async () => {
  const [here, there] = [counted(), counted()];
  expect([await here.get(), await there.get()]).toEqual([0, 0]);
  here.kept.forget();
  expect([await there.get(), await here.get()]).toEqual([0, 0]);
  await closeDatabase();
  expect(await here.get()).toBe(1);
});
