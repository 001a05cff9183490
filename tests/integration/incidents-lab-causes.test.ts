import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { ROOT } from '#cli/dist.mjs';
import { CAUSES, type Cause } from '#contract/explanation.ts';
import type { Result, VantageRef } from '#contract/result.ts';
import { getPool } from '#server/database/database.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { makeDetection, record } from '../support/detections.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { insertResults } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

// Results of real servers over a delay line before and after a fault, as `npm run bench -- lab-causes` took them. They are stored at
// two vantages, one a minute; the detection names a wrong cause, so that what comes out is what the measurements say.
const file = path.join(ROOT, 'tests/fixtures/incident/lab-causes.jsonl.gz');
type Case = {
  name: string;
  cause: Cause;
  kind?: 'spike' | 'improvement';
  metric?: 'tls' | 'tcp' | 'firstByte';
  before: Result[][];
  after: Result[][];
};
const linesOf = (gzipped: string) => gunzipSync(readFileSync(gzipped)).toString().trim().split('\n');
const cases = linesOf(file).map((line): Case => JSON.parse(line));

/** Servers that were set in another way, as `npm run bench -- what-if` took them: one Result of each state. */
const pairs = linesOf(path.join(ROOT, 'tests/fixtures/what-if/pairs.jsonl.gz')).map(
  (line): { pair: { what: string; changes: unknown[] }; before: Result; after: Result } => JSON.parse(line),
);

const MINUTE = 60_000;
const ONSET = Date.parse('2026-11-20T12:00:00Z');
const vantages = ['CN-BJ', 'CN-GD'].map((region) => makeVantage(region, 'telecom'));

prepareTestDatabase(vantages);

/** One side as two vantages measured it from an instant on, a probe a minute each. */
const dated = (side: Result[][], targetId: string, from: number) =>
  side.flatMap((results, place) =>
    results.map((result, index) => {
      const at = from + index * MINUTE + place;
      const vantage = vantages[place] as VantageRef;
      return {
        ...result,
        ...{ id: v7({ msecs: at }), startedAt: new Date(at).toISOString(), targetId, vantage },
        ...{ variant: 'main' as const, mainId: null },
      };
    }),
  );

/** The incident that comes of a case. */
async function incidentOf({ cause, kind = 'spike', metric = 'tls', before, after }: Case) {
  const targetId = await insertTarget();
  await insertResults([...dated(before, targetId, ONSET - 5 * MINUTE), ...dated(after, targetId, ONSET)]);
  const at = new Date(ONSET + 5 * MINUTE);
  const wrong = CAUSES.find((each) => each !== cause) ?? cause;
  const levels = kind === 'improvement' ? { beforeMs: 150, afterMs: 50 } : {};
  const found = vantages
    .slice(0, after.length)
    .map((vantage) =>
      makeDetection({ targetId, vantage, at, changeAt: new Date(ONSET), kind, metric, cause: wrong, ...levels }),
    );
  await record(found, [], at);
  const { rows } = await getPool().query<{ id: string }>(
    `select id from incident where cells @> jsonb_build_array(jsonb_build_object('targetId', $1::text))`,
    [targetId],
  );
  return await getIncident(rows[0]?.id ?? '');
}

/** Each pair in both directions, by the time that changed: an improvement, and the same taken back. */
const changed = pairs.flatMap(({ pair, before, after }, index): Case[] => {
  const differs = (metric: 'tls' | 'firstByte') =>
    Math.abs((after.phases[metric] ?? 0) - (before.phases[metric] ?? 0)) > 0.1 * (before.phases[metric] ?? 0);
  const metric = differs('tls') ? 'tls' : 'firstByte';
  if (!differs(metric)) return [];
  const cause = pair.what === 'edge' ? 'network' : 'tls';
  const often = (result: Result) => [Array.from({ length: 4 }, () => ({ ...result, findings: [] }))];
  return [
    [before, after],
    [after, before],
  ].map((sides, turned) => {
    const [from, to] = sides as [Result, Result];
    const better = (to.phases[metric] ?? 0) < (from.phases[metric] ?? 0);
    const name = `${pair.what} (${index}${turned ? ', taken back' : ''})`;
    const kind = better ? ('improvement' as const) : ('spike' as const);
    return { name, cause, kind, metric, before: often(from), after: often(to) };
  });
});

describe('the cause by measurement, of other settings', () => {
  it.each(changed)('$name: $cause', async (one) => {
    expect((await incidentOf(one)).explanation?.cause).toBe(one.cause);
  });
});

describe('the cause by measurement, of faults made in the lab', () => {
  it('has 24 cases, all three causes among them', () => {
    expect(cases).toHaveLength(24);
    expect(new Set(cases.map(({ cause }) => cause)).size).toBe(3);
  });

  it.each(cases)('$name: $cause', async (one) => {
    const { cause, explanation } = await incidentOf(one);
    if (process.env.SHOW) console.log(one.name, JSON.stringify(explanation));
    expect(cause).toBe(one.cause);
    expect(explanation?.cause).toBe(one.cause);
    const sum = explanation?.parts.reduce((total, { ms }) => total + ms, 0) ?? Number.NaN;
    expect(Math.abs(sum - (explanation?.excessMs ?? 0))).toBeLessThan(0.5);
  });
});
