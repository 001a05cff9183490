import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
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

/** Ends as a process does that is told to stop, so that another may have the folder. */
async function closed(spool: Spool): Promise<void> {
  opened.splice(opened.indexOf(spool), 1);
  await spool.close();
}

/** Numbered results, flushed by tens. */
async function fill(spool: Spool, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) {
    spool.append(JSON.stringify({ n, text: 'x'.repeat(80) }));
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
const files = () => readdirSync(directory).sort();
const segments = () => files().filter((name) => /^\d{12}\./.test(name));
const packed = () => files().filter((name) => name.endsWith('.zst'));
const inFolder = (name: string | undefined) => join(directory, String(name));
const packedAtLeast = (count: number) => expect.poll(() => packed().length).toBeGreaterThanOrEqual(count);

describe('the spool', () => {
  it('gives results back in the order in which they came, across segments, and keeps no file it is done with', async () => {
    const spool = openSpool({ segmentBytes: 1_000 });
    await fill(spool, 0, 100);
    expect(segments().length).toBeGreaterThan(3);
    expect(await drain(spool)).toEqual(range(0, 100));
    expect(segments()).toEqual([]);
    await fill(spool, 100, 130);
    expect(await drain(spool)).toEqual(range(100, 130));
    expect(segments()).toEqual([]);
    expect(spool.pendingBytes).toBe(0);
  });

  it('is empty on disk while the server keeps up', async () => {
    const spool = openSpool();
    for (let turn = 0; turn < 5; turn += 1) {
      await fill(spool, turn * 20, turn * 20 + 20);
      expect(segments()).toHaveLength(1);
      expect(await drain(spool, 500)).toEqual(range(turn * 20, turn * 20 + 20));
      expect(files()).toEqual([]);
    }
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
    await closed(before);
    const after = openSpool({ segmentBytes: 1_000 });
    await fill(after, 50, 60);
    expect(await drain(after)).toEqual(range(3, 60));
    expect(after.counts).toEqual({ dropped: 0, droppedFromMemory: 0, torn: 0 });
  });

  it('reads all of a segment again when the position was lost', async () => {
    const before = openSpool();
    await fill(before, 0, 10);
    const batch = await before.read(4);
    if (batch) await before.acknowledge(batch);
    await closed(before);
    writeFileSync(inFolder('position'), 'nonsense');
    expect(await drain(openSpool())).toEqual(range(0, 10));
  });

  it('does not take an old position for that of a new segment', async () => {
    const before = openSpool();
    await fill(before, 0, 10);
    const batch = await before.read(4);
    if (batch) await before.acknowledge(batch);
    await closed(before);
    for (const name of segments()) unlinkSync(inFolder(name));
    const after = openSpool();
    await fill(after, 10, 20);
    await closed(after);
    expect(await drain(openSpool())).toEqual(range(10, 20));
  });
});

describe('a damaged spool', () => {
  it('skips what a crash tore and counts it, and delivers what came later', async () => {
    const before = openSpool();
    await fill(before, 0, 10);
    await closed(before);
    const log = readFileSync(inFolder(segments()[0]));
    appendFileSync(inFolder(segments()[0]), log.subarray(0, 60));
    const after = openSpool();
    await fill(after, 20, 22);
    expect(await drain(after, 100)).toEqual([...range(0, 10), 20, 21]);
    expect(after.counts.torn).toBe(1);
    expect(warnings).toEqual(['1 results of the spool are torn or damaged, they are left out']);
  });

  it('leaves out a record in which one bit was flipped, though it is JSON still', async () => {
    const spool = openSpool();
    await fill(spool, 0, 10);
    const path = inFolder(segments()[0]);
    writeFileSync(path, readFileSync(path, 'latin1').replace('"n":5', '"n":4'), 'latin1');
    expect(await drain(spool)).toEqual([...range(0, 5), ...range(6, 10)]);
    expect(spool.counts.torn).toBe(1);
    expect(segments()).toEqual([]);
  });

  it('loses no neighbour to a compressed file that is damaged, cut short or empty, and counts what it held', async () => {
    const before = openSpool({ segmentBytes: 1_000 });
    await fill(before, 0, 100);
    await packedAtLeast(9);
    await closed(before);
    const [, second, , fourth, , sixth] = packed();
    writeFileSync(inFolder(second), 'not zstd at all');
    writeFileSync(inFolder(fourth), readFileSync(inFolder(fourth)).subarray(0, 70));
    writeFileSync(inFolder(sixth), '');
    const after = openSpool({ segmentBytes: 1_000 });
    const delivered = await drain(after);
    expect(delivered.length + after.counts.torn).toBe(100);
    for (const kept of [0, 2, 4, 6, 7, 8, 9]) {
      expect(delivered).toEqual(expect.arrayContaining(range(kept * 10, kept * 10 + 10)));
    }
    expect(delivered).toEqual([...delivered].sort((a, b) => a - b));
    expect(after.counts.torn).toBeGreaterThan(20);
    expect(warnings[0]).toMatch(/^10 results of the spool are torn or damaged/);
  });

  it('delivers once what a crash left both compressed and not, and clears half-made files away', async () => {
    const before = openSpool({ segmentBytes: 1_000 });
    await fill(before, 0, 20);
    await packedAtLeast(1);
    await closed(before);
    const [first] = packed();
    const log = zstdDecompressSync(readFileSync(inFolder(first)));
    writeFileSync(inFolder(`${first?.slice(0, 12)}.log`), log);
    writeFileSync(inFolder('000000000099.5.zst.new'), 'half');
    const after = openSpool();
    expect(await drain(after)).toEqual(range(0, 20));
    await closed(after); // a segment may have been compressed when the last of it was taken
    expect(segments()).toEqual([]);
  });
});

describe('the bound of the spool', () => {
  const bytesOnDisk = () =>
    segments().reduce((sum, name) => sum + Math.ceil(statSync(inFolder(name)).size / 4096) * 4096, 0);

  it('holds in bytes of disk: the oldest results go, are counted, and that is said once', async () => {
    const spool = openSpool({ maxBytes: 64 * 1024 });
    let most = 0;
    for (let from = 0; from < 3_000; from += 100) {
      for (let n = from; n < from + 100; n += 1)
        spool.append(JSON.stringify({ n, noise: Math.random().toString(36).repeat(10) }));
      await spool.flush();
      most = Math.max(most, bytesOnDisk());
    }
    expect(most).toBeLessThanOrEqual(64 * 1024);
    expect(spool.pendingBytes).toBe(bytesOnDisk());
    const kept = await drain(spool, 500);
    expect(kept.length).toBeGreaterThan(200);
    expect(kept).toEqual(range(3_000 - kept.length, 3_000));
    expect(spool.counts.dropped).toBe(3_000 - kept.length);
    expect(warnings).toEqual([expect.stringMatching(/^the spool is full: \d+ of the oldest results are dropped$/)]);
  });

  it('counts compressed bytes: what is kept was several times the bound when it was written', async () => {
    const spool = openSpool({ maxBytes: 256 * 1024, segmentBytes: 32 * 1024 });
    for (let from = 0; from < 6_000; from += 200) {
      for (let n = from; n < from + 200; n += 1) spool.append(JSON.stringify({ n, text: 'x'.repeat(80) }));
      await spool.flush();
      await expect.poll(() => segments().length - packed().length).toBeLessThanOrEqual(1);
    }
    expect(spool.counts.dropped).toBe(0);
    expect(bytesOnDisk()).toBeLessThanOrEqual(256 * 1024);
    expect(await drain(spool, 500)).toEqual(range(0, 6_000));
  });

  it('survives an acknowledgement of results that it has dropped meanwhile', async () => {
    const spool = openSpool({ maxBytes: 20_000, segmentBytes: 1_000 });
    await fill(spool, 0, 10);
    const batch = await spool.read(5);
    await fill(spool, 10, 400);
    if (batch) await spool.acknowledge(batch);
    const kept = await drain(spool);
    expect(kept).toEqual(range(400 - kept.length, 400));
    expect(spool.counts.dropped).toBe(400 - kept.length);
  });

  it('counts as dropped only what the server had not taken', async () => {
    const spool = openSpool({ maxBytes: 20_000, segmentBytes: 1_000 });
    await fill(spool, 0, 10);
    const batch = await spool.read(5);
    if (batch) await spool.acknowledge(batch);
    await fill(spool, 10, 400);
    const kept = await drain(spool);
    expect(spool.counts.dropped).toBe(395 - kept.length);
  });
});

describe('a disk that takes nothing', () => {
  /** A file where the folder should be: every write fails, whoever runs the test. */
  const block = () => {
    const path = inFolder('blocked');
    writeFileSync(path, '');
    return path;
  };
  const unblock = (path: string) => {
    unlinkSync(path);
    mkdirSync(path);
  };
  const spoolIn = (path: string, options: Partial<SpoolOptions> = {}) => {
    mkdirSync(path);
    const spool = openSpool({ directory: path, ...options });
    rmSync(path, { recursive: true });
    return spool;
  };

  it('costs nothing: results are uploaded from memory, and go to the disk once it takes them again', async () => {
    const spool = spoolIn(inFolder('blocked'));
    const path = block();
    await fill(spool, 0, 30);
    expect(spool.inMemory).toBe(30);
    const batch = await spool.read(10);
    expect(batch?.lines.map((line) => JSON.parse(line).n)).toEqual(range(0, 10));
    if (batch) await spool.acknowledge(batch);
    expect(spool.inMemory).toBe(20);
    unblock(path);
    await fill(spool, 30, 35);
    expect(spool.inMemory).toBe(0);
    expect(readdirSync(path)).toEqual(['000000000001.log']);
    expect(await drain(spool)).toEqual(range(10, 35));
    expect(spool.counts).toEqual({ dropped: 0, droppedFromMemory: 0, torn: 0 });
    expect(warnings).toEqual([
      expect.stringMatching(/^the spool cannot be written, results are kept in memory, at most 32 MiB of them: /),
      'the spool can be written again',
    ]);
  });

  it('keeps a bounded number of results in memory: the oldest go, are counted, and that is said once', async () => {
    const spool = spoolIn(inFolder('blocked'), { memoryBytes: 2_000 });
    block();
    await fill(spool, 0, 100);
    expect(spool.pendingBytes).toBeLessThanOrEqual(2_000);
    const kept = await drain(spool);
    expect(kept).toEqual(range(100 - kept.length, 100));
    expect(kept.length).toBeGreaterThan(10);
    expect(spool.counts).toEqual({ dropped: 100 - kept.length, droppedFromMemory: 100 - kept.length, torn: 0 });
    expect(warnings.filter((message) => message.includes('memory is full'))).toHaveLength(1);
  });

  it('says what is lost when it ends with results that it could never write', async () => {
    const spool = spoolIn(inFolder('blocked'));
    block();
    await fill(spool, 0, 3);
    await closed(spool);
    expect(spool.counts.dropped).toBe(3);
    expect(warnings.at(-1)).toMatch(/3 of them are dropped/);
  });
});

it('counts the results that no server has confirmed, in memory and on disk', async () => {
  const spool = openSpool();
  expect(spool.unconfirmed).toBe(0);
  for (let n = 0; n < 5; n += 1) spool.append(JSON.stringify({ n }));
  expect(spool.unconfirmed).toBe(5);
  await spool.flush();
  spool.append(JSON.stringify({ n: 5 }));
  expect(spool.unconfirmed).toBe(6);
  const batch = await spool.read(3);
  expect(spool.unconfirmed).toBe(6);
  if (batch) await spool.acknowledge(batch);
  expect(spool.unconfirmed).toBe(3);
  await closed(spool);
  const next = openSpool();
  expect(next.unconfirmed).toBe(Number.POSITIVE_INFINITY); // nobody has counted them yet
  for (let rest = await next.read(2); rest; rest = await next.read(2)) await next.acknowledge(rest);
  expect(next.unconfirmed).toBe(0);
});
