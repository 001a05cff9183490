import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { adviceOf } from '#analysis/advice/advice.ts';
import { MILESTONES } from '#analysis/advice/worth.ts';
import { factsOf } from '#analysis/what-if/what-if.ts';
import { ROOT } from '#cli/dist.mjs';
import { Result } from '#contract/result.ts';

// Results of nginx 1.22 over a delay line of 28 ms, at windows of 3, 4 and 10 segments, with Nagle's algorithm and without.
type Recorded = {
  window: number;
  noDelay: boolean;
  tls: string;
  chainBytes: number;
  bodyBytes: number;
  recordBytes: number;
  result: Result;
};
const RTT = 28;
const file = path.join(ROOT, 'tests/fixtures/what-if/windows.jsonl.gz');
const recorded: Recorded[] = gunzipSync(readFileSync(file))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .map((each) => ({ ...each, result: Result.parse(each.result) }));
const where = '$window segments, TLS $tls, chain $chainBytes, body $bodyBytes in records of $recordBytes';
const adviceFor = (result: Result) => adviceOf([result], { client: 'api' });
const codesOf = (result: Result) => adviceFor(result).map(({ code }) => code);

describe('a pause that the window explains', () => {
  it.each(recorded.filter(({ noDelay }) => noDelay))(`is no evidence of Nagle's algorithm: ${where}`, ({ result }) => {
    expect(codesOf(result)).not.toContain('nagle');
  });

  it.each(recorded.filter(({ noDelay }) => !noDelay))(`is another than Nagle's: ${where}`, ({ result }) => {
    expect(codesOf(result)).toContain('nagle');
  });

  const changes = [
    {
      code: 'tls12',
      is: ({ tls, recordBytes }: Recorded) => tls === '1.2' && recordBytes > 4_096,
      set: { tls: '1.3' },
    },
    { code: 'tiny_records', is: ({ recordBytes }: Recorded) => recordBytes < 1_000, set: { recordBytes: 4_096 } },
  ];
  const pairs = changes.flatMap(({ code, is, set }) =>
    recorded.filter(is).map((before) => {
      const { result: _, ...wanted } = { ...before, ...set };
      return { ...before, code, after: recorded.find(({ result, ...server }) => isDeepStrictEqual(server, wanted)) };
    }),
  );
  it.each(pairs)(`is taken into account by $code: ${where}`, ({ code, result, after }) => {
    const advice = adviceFor(result).find((each) => each.code === code);
    const [measured, then] = [factsOf(result)?.measured, after && factsOf(after.result)?.measured];
    for (const milestone of MILESTONES) {
      const saved = (measured?.[milestone] ?? Number.NaN) - (then?.[milestone] ?? Number.NaN);
      expect(Math.abs((advice?.savesMs[milestone] ?? Number.NaN) - saved), milestone).toBeLessThan(RTT / 2);
    }
  });
});
