import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Change, factsOf, whatIf } from '#analysis/what-if/what-if.ts';
import { Result } from '#contract/result.ts';

/** Real servers before and after one change, recorded by `npm run bench -- what-if --rtt 60` (docs/benchmarks.md). */
const FILE = path.join(import.meta.dirname, '../../../fixtures/what-if/pairs.jsonl.gz');
const pairs = gunzipSync(readFileSync(FILE))
  .toString()
  .trim()
  .split('\n')
  .map((line) => {
    const { pair, rttMs, before, after } = JSON.parse(line);
    const what = `${pair.what}: ${JSON.stringify(pair.before)} -> ${JSON.stringify(pair.after)}`;
    const changes: Change[] = pair.changes;
    return { what, changes, rttMs: Number(rttMs), before: Result.parse(before), after: Result.parse(after) };
  });

const BOUND = 0.1;

describe('predictions from recorded Results', () => {
  it('are made of every kind of change, on five servers', () => {
    expect(new Set(pairs.flatMap(({ changes }) => changes.map(({ kind }) => kind))).size).toBe(11);
    expect(pairs.length).toBeGreaterThanOrEqual(20);
  });

  it.each(pairs)('$what', ({ changes, rttMs, before, after }) => {
    const facts = factsOf(before);
    // A resumed handshake is no base for a prediction, but its milestones are read in the same way.
    const seen = factsOf({ ...after, tls: after.tls && { ...after.tls, resumed: false } });
    if (!facts || !seen) throw new Error('a recorded Result has no facts');
    const { handshake, firstUsable, firstBody, total } = whatIf(facts, changes, 'api').after;
    const within = (predicted: number, measured: number) =>
      expect(Math.abs(predicted - measured)).toBeLessThanOrEqual(BOUND * rttMs);
    within(handshake, seen.measured.handshake);
    within(firstUsable, seen.measured.firstUsable);
    within(firstBody, seen.measured.firstBody);
    within(total, seen.measured.total);
  });
});
