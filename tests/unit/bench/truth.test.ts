import { expect, test } from 'vitest';
import { withTruth } from '../../bench/truth-docs.ts';
import { errorsOf, FIGURES, honestyOf, pairUp, rateOf } from '../../bench/truth-errors.ts';
import type { NotificationState, Seen } from '../../bench/truth-types.ts';

const seenOn = (localPort: number, more: Partial<Seen> = {}): Seen => ({
  localPort,
  address: '10.0.0.1',
  synAt: localPort,
  endAt: localPort + 100,
  connectMs: 28,
  tls: { fromSynAckMs: 30, fromHelloMs: 29 },
  answer: { firstPacketMs: 28, firstUsableMs: 56 },
  ...more,
});
const toldOn = (localPort: number | null, more: Partial<NotificationState> = {}): NotificationState => ({
  localPort,
  address: null,
  connectMs: 28,
  tlsMs: 30,
  wireMs: 29,
  firstByteMs: 28,
  own: null,
  ...more,
});
const own = (clean: boolean) => ({
  clean,
  loopDelayMs: 0,
  kernelRttMs: null,
  firstPacketMs: null,
  firstUsableMs: null,
});

test('probes find their connection by port, or by address where the tool tells no port', () => {
  const seen = [seenOn(1, { address: '10.0.0.1' }), seenOn(2, { address: '10.0.0.2' })];
  const pairs = pairUp([toldOn(2), toldOn(null, { address: '10.0.0.1' }), toldOn(9)], seen);
  expect(pairs.map((pair) => pair.seen.localPort)).toEqual([2, 1]);
});

test('of two connections to one address the first is the probe that was told', () => {
  const again = [seenOn(7, { synAt: 900 }), seenOn(3, { synAt: 10 })];
  expect(pairUp([toldOn(null, { address: '10.0.0.1' })], again)[0]?.seen.localPort).toBe(3);
});

test('errors are ranked by size and keep their sign', () => {
  const told = Array.from({ length: 100 }, (_, n) => toldOn(n, { connectMs: n === 99 ? 8 : 28 + n / 100 }));
  const pairs = pairUp(
    told,
    told.map((_, n) => seenOn(n)),
  );
  const errors = errorsOf(pairs, FIGURES.connect);
  expect(errors?.p50).toBeCloseTo(0.49, 9);
  expect(errors?.p99).toBeCloseTo(0.98, 9);
  expect(errorsOf(pairs.slice(-1), FIGURES.connect)).toEqual({ p50: -20, p95: -20, p99: -20, n: 1 });
});

test('what a tool does not tell has no error', () => {
  const pairs = pairUp([toldOn(1, { firstByteMs: null })], [seenOn(1)]);
  expect(errorsOf(pairs, FIGURES.firstByte)).toBeNull();
});

test('wrong Results are counted, and those of them that say so', () => {
  const told = [
    toldOn(1, { own: own(true) }),
    toldOn(2, { own: own(false), tlsMs: 32 }),
    toldOn(3, { own: own(true), firstByteMs: 26.5 }),
    toldOn(4, { own: own(false) }),
  ];
  const pairs = pairUp(told, [seenOn(1), seenOn(2), seenOn(3), seenOn(4)]);
  expect(honestyOf(pairs)).toEqual({ unclean: 2, wrong: 2, confessed: 1, hidden: ['firstByte -1.5'] });
});

test('the rate is of the connections, from the first SYN to the end of the last', () => {
  expect(rateOf([seenOn(1, { synAt: 0, endAt: 400 }), seenOn(2, { synAt: 100, endAt: 500 })])).toBe(4);
});

test('the section of the documentation is replaced, its neighbours and its notes stay', () => {
  const notes = '**How it is measured.** So.\n';
  const first = withTruth('# Benchmarks\n\n## First light\n\nx\n', 'one');
  expect(first).toBe('# Benchmarks\n\n## First light\n\nx\n\n## Truth\n\none\n');
  const second = withTruth(`${first}\n${notes}\n## Other\n\ny\n`, 'two');
  expect(second).toBe(`# Benchmarks\n\n## First light\n\nx\n\n## Truth\n\ntwo\n\n${notes}\n## Other\n\ny\n`);
  expect(withTruth(second, 'two')).toBe(second);
});
