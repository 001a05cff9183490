import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES } from '#probe/http/exchange.ts';
import { probe } from '../support/probing.ts';

/** A time-out that is to strike, one that is not, and what a busy machine may add to a probe. */
const SHORT_MS = 600;
const LONG_MS = 10_000;
const SLACK_MS = 4_000;
/** What a probe may hold at once, with what it received and nobody has collected yet; and all of them, in the end. */
const PEAK_MB = 48;
const LEFT_MB = 32;

/** How each probe must end: the phase and the reason of its failure, and part of what it says, or the bytes of a body that is fine. */
type Ending = readonly [phase: 'firstByte' | 'download', reason: string, says?: string] | { bytes: number };

const broken = ['firstByte', 'http_protocol'] as const;
const tooLarge = ['firstByte', 'http_too_large'] as const;
const whole = { bytes: 2 };
const full = { bytes: MAX_BODY_BYTES };

const ENDINGS: Record<string, Ending> = {
  'h2: a header block without end': tooLarge,
  'h2: empty CONTINUATION frames': tooLarge,
  'h2: a table entry named over and over': tooLarge,
  'h2: a header block that is no HPACK': broken,
  'h2: settings': tooLarge,
  'h2: pings': tooLarge,
  'h2: empty DATA frames': ['download', 'http_too_large'],
  'h2: window updates': tooLarge,
  'h2: a window that overflows': broken,
  'h2: resets of other streams': broken,
  'h2: priorities': tooLarge,
  'h2: ALTSVC and ORIGIN': tooLarge,
  'h2: unknown frames, then an answer': whole,
  'h2: a pushed stream': broken,
  'h2: an answer on another stream': broken,
  'h2: more padding than bytes': ['download', 'http_protocol'],
  'h2: tiny DATA frames': ['download', 'http_too_large'],
  'h2: a body shorter than its length': ['download', 'http_protocol'],
  'h2: a body byte by byte': ['download', 'http_timeout'],
  'h2: a head byte by byte': ['firstByte', 'http_timeout'],
  'h2: an orderly GOAWAY before the answer': ['firstByte', 'http_closed'],
  'h2: an orderly GOAWAY that lets the answer come': whole,
  'h2: a GOAWAY with an error': broken,
  'h2: a refused stream': broken,
  'h2: a stream cancelled within the body': ['download', 'http_closed'],
  'h2: interim answers': tooLarge,
  'h2: status 42': broken,
  'h2: status 999': ['firstByte', 'http_status'],
  'h2: no status': broken,
  'h2: status 101': broken,
  'h2: a name in capitals': broken,
  'h2: a line break in a value': broken,
  'h2: a frame of 16 MB': broken,
  'h2: garbage': broken,
  'h2: an end after the request': ['firstByte', 'http_closed'],
  'h2: a reset after the request': ['firstByte', 'http_reset'],
  'h2: a reset within the head': ['firstByte', 'http_reset'],
  'h2: a reset within the body': ['download', 'http_reset'],
  'a header block of many lines': tooLarge,
  'a header of 16 MB': tooLarge,
  'interim answers': tooLarge,
  'a body without end': full,
  'a body byte by byte': ['download', 'http_timeout'],
  'a head byte by byte': ['firstByte', 'http_timeout'],
  'chunk extensions': ['download', 'http_protocol'],
  'a chunk without end': full,
  'a chunk size that no number holds': ['download', 'http_protocol'],
  'tiny chunks': ['download', 'http_too_large'],
  'trailers without end': ['download', 'http_too_large'],
  garbage: broken,
  'status 101': broken,
  'status 999': ['firstByte', 'http_status'],
  'status 42': broken,
  'a byte 0 in a header': broken,
  'garbage after the answer': whole,
  'a reset after the request': ['firstByte', 'http_reset'],
  'a reset within the head': ['firstByte', 'http_reset'],
  'a reset within the body': ['download', 'http_reset'],
  'an end without a close_notify after the request': ['firstByte', 'http_closed'],
  'a body cut without a close_notify': ['download', 'http_closed', 'close_notify'],
};

let servers: ChildProcess;
let urls: Record<string, string>;
let caPem: string;
let collect: () => void;
let before: number;

beforeAll(async () => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc') as () => void;
  servers = fork(new URL('../support/hostile-http.ts', import.meta.url), { execArgv: [] });
  [{ urls, caPem }] = (await once(servers, 'message')) as [{ urls: Record<string, string>; caPem: string }];
  // The first probes of a process load and compile what they need.
  for (const name of ['h2: unknown frames, then an answer', 'garbage after the answer']) await attack(name);
  collect();
  before = heldMb();
});
afterAll(async () => {
  const gone = once(servers, 'exit');
  servers.disconnect();
  await gone;
});

function heldMb(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

async function openConnections(): Promise<number> {
  servers.send('open?');
  const [{ open }] = (await once(servers, 'message')) as [{ open: number }];
  return open;
}

/** Probes one of the servers; `peakMb` is the most memory that was held meanwhile beyond what was held before. */
async function attack(name: string, phaseMs = LONG_MS) {
  const url = urls[name];
  if (url === undefined) throw new Error(`no server does ${name}`);
  const heldBefore = heldMb();
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, heldMb() - heldBefore);
  }, 5);
  const startedAt = performance.now();
  const timeouts = { dns: 5_000, tcp: 5_000, tls: 5_000, firstByte: phaseMs, download: phaseMs };
  const { result } = await probe(url, { settings: { caPem, timeouts }, timeoutMs: 2 * LONG_MS });
  clearInterval(watch);
  return { result, peakMb, tookMs: performance.now() - startedAt };
}

describe('a hostile HTTP server costs one time-out at most', () => {
  it.each(Object.entries(ENDINGS))('%s', async (name, ending) => {
    const phaseMs = 'bytes' in ending || ending[1] !== 'http_timeout' ? LONG_MS : SHORT_MS;
    const { result, peakMb, tookMs } = await attack(name, phaseMs);
    if ('bytes' in ending) {
      expect(result.failure).toBeNull();
      expect(result.http?.bytes).toBeGreaterThanOrEqual(ending.bytes);
      expect(result.http?.bytes).toBeLessThan(ending.bytes + 65_536);
    } else {
      const [phase, reason, says = ''] = ending;
      expect(result.failure).toMatchObject({ phase, reason, source: 'target', message: expect.stringContaining(says) });
    }
    expect(tookMs).toBeLessThan(SHORT_MS + SLACK_MS);
    expect(peakMb).toBeLessThan(PEAK_MB);
    await expect.poll(openConnections).toBe(0);
  });

  it.each(['h2: a body beyond its window', 'h2: padding'])('%s meets one bound or another', async (name) => {
    const { result, peakMb } = await attack(name);
    // By how far what arrives is ahead of what is decrypted: the body's end, the window, or the bytes of the connection.
    expect([undefined, 'http_protocol', 'http_too_large']).toContain(result.failure?.reason);
    expect(result.http?.bytes).toBeLessThan(MAX_BODY_BYTES + 65_536);
    expect(peakMb).toBeLessThan(PEAK_MB);
  });

  it('reads a body as it was sent, and never unpacks it', async () => {
    const { result, peakMb } = await attack('a gzip bomb');
    expect(result.ok).toBe(true);
    expect(result.http?.bytes).toBeLessThan(100_000);
    expect(peakMb).toBeLessThan(PEAK_MB);
  });

  it.each(['an answer before the request', 'h2: an answer before the request'])('%s', async (name) => {
    const { result } = await attack(name);
    // One that is on its way when we ask cannot be told from a fast one.
    expect([undefined, 'http_protocol']).toContain(result.failure?.reason);
  });

  it('has a test for each server', () => {
    const others = [
      'a gzip bomb',
      'an answer before the request',
      'h2: a body beyond its window',
      'h2: an answer before the request',
      'h2: padding',
    ];
    expect(Object.keys(urls).toSorted()).toEqual([...Object.keys(ENDINGS), ...others].toSorted());
  });

  it('holds nothing of them in the end', () => {
    collect();
    expect(heldMb() - before).toBeLessThan(LEFT_MB);
  });
});
