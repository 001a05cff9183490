import { expect, test } from 'vitest';
import { Bursts } from '#probe/kernel/burst.ts';

test('one segment since the last look has its own stamp; of several the first may be as early as the watcher was late', () => {
  let waited = 10;
  const bursts = new Bursts(() => waited);
  waited = 12;
  expect(bursts.latenessOf(1, 1)).toBe(0);
  expect(bursts.latenessOf(1, 4)).toBe(2);
  waited = 12.5;
  expect(bursts.latenessOf(1, 5)).toBe(0);
  expect(bursts.latenessOf(2, 2)).toBe(0.5);
});

test('a connection that is older than 65,536 others is a new one: its bound is then asked for, not forgotten', () => {
  let waited = 0;
  const bursts = new Bursts(() => waited);
  bursts.latenessOf(1, 8);
  bursts.latenessOf(65_537, 1);
  waited = 3;
  expect(bursts.latenessOf(1, 9)).toBe(3);
});

test('what the watcher waited before a look that found nothing does not count', () => {
  let waited = 10;
  const bursts = new Bursts(() => waited);
  waited = 20;
  const delay = bursts.delayBeforeLook(5);
  expect(delay).toBe(20);
  bursts.nothingWaited(delay ?? 0);
  waited = 20.5;
  expect(bursts.latenessOf(1, 2)).toBe(0.5);
});

test('the kernel is asked at most once a millisecond, and what was waited meanwhile counts', () => {
  let waited = 0;
  const bursts = new Bursts(() => waited);
  expect(bursts.delayBeforeLook(5)).toBe(0);
  expect(bursts.delayBeforeLook(5.9)).toBeNull();
  waited = 3;
  expect(bursts.latenessOf(1, 2)).toBe(3);
  expect(bursts.delayBeforeLook(6)).toBe(3);
});
