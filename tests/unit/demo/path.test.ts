import { Duplex, duplexPair, finished } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Path, type Timers } from '#demo/path.ts';

/** A clock turned by hand. `settle` lets the streams' own ticks run. */
function manualTimers() {
  let now = 0;
  const waiting: { atMs: number; run: () => void }[] = [];
  const timers: Timers = {
    now: () => now,
    after(ms, run) {
      const entry = { atMs: now + ms, run };
      waiting.push(entry);
      return () => void waiting.splice(waiting.indexOf(entry), 1);
    },
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  async function advanceTo(ms: number): Promise<void> {
    for (;;) {
      const next = waiting.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (!next || next.atMs > ms) break;
      waiting.splice(waiting.indexOf(next), 1);
      now = Math.max(now, next.atMs);
      next.run();
      await settle();
    }
    now = ms;
    await settle();
  }
  return { timers, advanceTo, settle, pending: () => waiting.length };
}

function lineOf(rttMs: number) {
  const clock = manualTimers();
  const [far, server] = duplexPair();
  const path = new Path(far, { rttMs }, clock.timers);
  const arrived: [number, number][] = [];
  path.on('data', (chunk: Buffer) => arrived.push([clock.timers.now(), chunk.length]));
  return { path, far, server, arrived, ...clock };
}

describe('an emulated path', () => {
  it('carries bytes up in half a round trip', async () => {
    const { path, server, timers, advanceTo } = lineOf(40);
    const heard: [number, string][] = [];
    server.on('data', (chunk: Buffer) => heard.push([timers.now(), String(chunk)]));
    path.write('hello');
    await advanceTo(19);
    expect(heard).toEqual([]);
    await advanceTo(21);
    expect(heard).toEqual([[20, 'hello']]);
  });

  it('carries a 24 kB answer down in two flights, a round trip apart, unchanged', async () => {
    const { path, server, arrived, advanceTo, settle } = lineOf(40);
    const pieces: Buffer[] = [];
    path.on('data', (chunk: Buffer) => pieces.push(chunk));
    const body = Buffer.from(Array.from({ length: 24_000 }, (_, i) => i % 251));
    server.write(body);
    await settle();
    await advanceTo(100);
    expect(arrived).toEqual([
      [20, 14_480],
      [60, 9_520],
    ]);
    expect(Buffer.concat(pieces).equals(body)).toBe(true);
  });

  it('fills up what waits for the window with what is written later', async () => {
    const { server, arrived, advanceTo, settle } = lineOf(40);
    server.write(Buffer.alloc(15_000));
    await settle();
    await advanceTo(10);
    server.write(Buffer.alloc(2_000, 1));
    await settle();
    await advanceTo(100);
    expect(arrived).toEqual([
      [20, 14_480],
      [60, 520],
      [60, 2_000],
    ]);
  });

  it('tells of the end behind the last byte, in both directions', async () => {
    const { path, server, timers, advanceTo, settle } = lineOf(40);
    const ends: [string, number][] = [];
    path.on('end', () => ends.push(['path', timers.now()]));
    server.on('end', () => ends.push(['server', timers.now()])).resume();
    server.end(Buffer.alloc(20_000));
    path.end('bye');
    await settle();
    await advanceTo(100);
    expect(ends).toEqual([
      ['server', 20],
      ['path', 60],
    ]);
  });

  it('breaks off with the error of the far end', async () => {
    const { path, far } = lineOf(40);
    const closed = promisify(finished)(path);
    far.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    await expect(closed).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('forgets what is under way and closes the far end when it is destroyed', async () => {
    const { path, far, arrived, server, settle, advanceTo, pending } = lineOf(40);
    server.write('late');
    await settle();
    path.destroy();
    await advanceTo(100);
    expect(arrived).toEqual([]);
    expect(pending()).toBe(0);
    expect(far).toBeInstanceOf(Duplex);
    expect(far.destroyed).toBe(true);
  });
});
