import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Quarantine } from '#workers/prober/quarantine.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quarantine-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const log: string[] = [];
const say = (message: string) => void log.push(message);
const logger = { debug: say, info: say, warn: say, error: say };
const refused = (id: number) => ({ line: JSON.stringify({ id }), field: 'url', reason: 'is wrong' });
const lines = (name: string) =>
  readFileSync(join(directory, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

it('keeps a refused result as it was, with the reason and the time', async () => {
  const quarantine = new Quarantine({ directory, logger });
  await quarantine.add([refused(1), { ...refused(2), field: null }], new Date('2026-03-04T05:06:07.000Z'));
  expect(lines('refused.ndjson')).toEqual([
    { refusedAt: '2026-03-04T05:06:07.000Z', field: 'url', reason: 'is wrong', result: { id: 1 } },
    { refusedAt: '2026-03-04T05:06:07.000Z', field: null, reason: 'is wrong', result: { id: 2 } },
  ]);
});

it('knows after a restart what lies there', async () => {
  const first = new Quarantine({ directory, logger });
  await first.add([refused(1), refused(2)], new Date());
  const { results, bytes } = new Quarantine({ directory, logger });
  expect({ results, bytes }).toEqual({ results: 2, bytes: first.bytes });
});

it('leaves out a line that a kill tore, and keeps those before and after it', async () => {
  await new Quarantine({ directory, logger }).add([refused(1)], new Date());
  appendFileSync(join(directory, 'refused.ndjson'), '{"refusedAt":"2026-03');
  const second = new Quarantine({ directory, logger });
  await second.add([refused(2)], new Date());
  expect(lines('refused.ndjson').map(({ result }) => result.id)).toEqual([1, 2]);
  expect(second.results).toBe(2);
});

it('drops the oldest at its bound, and counts them', async () => {
  const maxBytes = 2_000;
  const quarantine = new Quarantine({ directory, logger, maxBytes });
  const count = 100;
  for (let id = 0; id < count; id += 1) {
    await quarantine.add([refused(id)], new Date());
    expect(quarantine.bytes).toBeLessThanOrEqual(maxBytes);
  }
  const kept = [...lines('refused.older.ndjson'), ...lines('refused.ndjson')].map(({ result }) => result.id);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => count - kept.length + index));
  expect(quarantine.results).toBe(kept.length);
  expect(quarantine.dropped).toBe(count - kept.length);
  expect(log.at(-1)).toContain('the quarantine is full');
});
