import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { adviceOf } from '#analysis/advice/advice.ts';
import { changesThatPay } from '#analysis/advice/changes.ts';
import { wasteOf } from '#analysis/advice/waste.ts';
import { ROOT } from '#cli/dist.mjs';
import type { Result } from '#contract/result.ts';

// Results of real servers over a delay line of 28 ms, as `npm run bench -- lab-figures record` took them.
const file = path.join(ROOT, 'tests/fixtures/advice/servers.json.gz');
type Recorded = Record<'installed' | 'wellSet', Record<string, Result[]>>;
const { installed, wellSet } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Recorded;

describe('servers that are well set', () => {
  it.each(['nginx', 'HAProxy', 'Apache', 'Node', 'Go'])('%s gets no advice', (name) => {
    const results = wellSet[name] ?? [];
    expect(results.length).toBeGreaterThanOrEqual(3);
    for (const client of ['browser', 'api'] as const) expect(adviceOf(results, { client })).toEqual([]);
    expect(changesThatPay(results, adviceOf(results))).toEqual([]);
    expect(wasteOf(results, [], 'browser')).toBeNull();
  });
});

describe('servers as they are installed, over HTTP/2', () => {
  it.each(['nginx', 'HAProxy', 'Apache', 'Node'])('%s sends 16 kB records, which cost a round trip', (name) => {
    const [advice] = adviceOf(installed[name] ?? []);
    expect(advice?.code).toBe('record_over_window');
    const { firstBody = 0, total } = advice?.savesMs ?? {};
    expect(Math.abs(firstBody - 28)).toBeLessThan(2);
    expect(total).toBe(0);
  });

  it('Go sends small records at first, of which nothing is said', () => {
    expect(adviceOf(installed.Go ?? [])).toEqual([]);
  });
});
