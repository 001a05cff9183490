import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Spool, type SpoolOptions } from '#workers/prober/spool.ts';

let directory: string;
let warnings: string[];
const opened: Spool[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spool-'));
  warnings = [];
});
afterEach(async () => {
  for (const spool of opened.splice(0)) await spool.close();
  rmSync(directory, { recursive: true });
});

function openSpool(options: Partial<SpoolOptions> = {}): Spool {
  const spool = new Spool({ directory, warn: (message) => warnings.push(message), ...options });
  opened.push(spool);
  return spool;
}

async function fill(spool: Spool, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) {
    spool.append({ n, text: 'x'.repeat(80) });
    if (n % 10 === 9) await spool.flush();
  }
  await spool.flush();
}

/** Reads and acknowledges everything, in batches. */
async function drain(spool: Spool, max = 7): Promise<number[]> {
  const numbers: number[] = [];
  for (let batch = await spool.read(max); batch; batch = await spool.read(max)) {
    expect(batch.lines.length).toBeLessThanOrEqual(max);
    for (const line of batch.lines) numbers.push(JSON.parse(line).n);
    await spool.acknowledge(batch);
  }
  return numbers;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const segments = () => readdirSync(directory).filter((name) => name.endsWith('.ndjson'));

describe('the spool', () => {
  it('gives results back in the order in which they came, across segments, and keeps no file it is done with', async () => {
    const spool = openSpool({ segmentBytes: 1_000 });
    await fill(spool, 0, 100);
    expect(segments().length).toBeGreaterThan(3);
    expect(await drain(spool)).toEqual(range(0, 100));
    expect(segments().length).toBe(1);
    await fill(spool, 100, 130);
    expect(await drain(spool)).toEqual(range(100, 130));
    expect(spool.pendingBytes).toBe(0);
  });

  it('gives the same batch again until it is acknowledged', async () => {
    const spool = openSpool();
    await fill(spool, 0, 20);
    const first = await spool.read(5);
    expect(await spool.read(5)).toEqual(first);
  });

  it('goes on where it was after a restart', async () => {
    const before = openSpool({ segmentBytes: 1_000 });
    await fill(before, 0, 50);
    const batch = await before.read(3);
    if (batch) await before.acknowledge(batch);
    const after = openSpool({ segmentBytes: 1_000 });
    await fill(after, 50, 60);
    expect(await drain(after)).toEqual(range(3, 60));
  });

  it('skips a line that a crash tore and counts it, at the end of a segment or within', async () => {
    const before = openSpool();
    await fill(before, 0, 10);
    const [name] = segments();
    appendFileSync(join(directory, String(name)), '{"n":10,"te\u0000\u0000\n{"n":11}\n{"n":12,"text":"xx');
    const after = openSpool();
    await fill(after, 20, 22);
    expect(await drain(after, 100)).toEqual([...range(0, 10), 11, 20, 21]);
    expect(after.counts.torn).toBe(2);
  });

  it('reads all of a segment again when the position was lost', async () => {
    const before = openSpool();
    await fill(before, 0, 10);
    const batch = await before.read(4);
    if (batch) await before.acknowledge(batch);
    writeFileSync(join(directory, 'position'), 'nonsense');
    expect(await drain(openSpool())).toEqual(range(0, 10));
  });

  it('stays within its bound: the oldest results go, are counted and told of', async () => {
    const spool = openSpool({ maxBytes: 10_000, segmentBytes: 1_000 });
    await fill(spool, 0, 300);
    const bytes = segments().reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(10_000);
    const kept = await drain(spool);
    expect(kept).toEqual(range(300 - kept.length, 300));
    expect(spool.counts.dropped).toBe(300 - kept.length);
    expect(warnings[0]).toMatch(/spool is full: \d+ of the oldest results are dropped/);
  });

  it('survives an acknowledgement of results that the bound has dropped meanwhile', async () => {
    const spool = openSpool({ maxBytes: 5_000, segmentBytes: 1_000 });
    await fill(spool, 0, 10);
    const batch = await spool.read(5);
    await fill(spool, 10, 200);
    if (batch) await spool.acknowledge(batch);
    const kept = await drain(spool);
    expect(kept.at(-1)).toBe(199);
    expect(kept).toEqual(range(200 - kept.length, 200));
  });

  it('counts what a disk refused, and goes on when it can be written again', async () => {
    const gone = join(directory, 'gone');
    const spool = openSpool({ directory: gone });
    rmSync(gone, { recursive: true });
    await fill(spool, 0, 3);
    expect(spool.counts.dropped).toBe(3);
    expect(warnings.at(-1)).toContain('3 results are lost');
    mkdirSync(gone);
    await fill(spool, 3, 5);
    expect(await drain(spool)).toEqual([3, 4]);
  });
});
