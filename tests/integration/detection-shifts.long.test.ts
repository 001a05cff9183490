import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { getPrisma } from '#server/database/database.ts';
import type { StoredCell } from '#server/incidents/stored-incident.ts';
import { createDetectionJob } from '#server/pipeline/pipeline.ts';
import { createAlertRule } from '#server/rules/rules.ts';
import { GRACE_SECONDS } from '#server/vantages/delivered.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { DAY, detectUntil, HOUR, incidentsMade, insertWebhook, messageTypes, noise } from '../support/detecting.ts';
import { type Check, writeHistory } from '../support/history.ts';
import { FRIDAY } from '../support/instants.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

/** Targets behind the congested carrier. */
const SHOPS = 30;
const vantages = ['CN-BJ', 'CN-GD', 'CN-HB'].map((region) => makeVantage(region, 'telecom'));
/** Seconds since 1970. */
const END = FRIDAY / 1_000;
const ALL = { targetIds: [], regions: [], carriers: [], severity: 'warning' as const, reminderMinutes: null };

let database: TestDatabase;
let checks: Check[];
beforeEach(async () => {
  database = await testDatabase(vantages);
  const targetId = await insertTarget();
  checks = vantages.map((vantage) => ({ targetId, vantage }));
  await insertWebhook();
});
afterEach(() => database.drop());

/** Days of quiet in which TLS takes this much longer from some instants on. */
async function writeSteps(steps: { at: number; ms: number }[], { from, to }: { from: number; to: number }) {
  const noisy = noise(3);
  await writeHistory(checks, { from, to, period: 120 }, (_check, at) => {
    const ms = steps.findLast((step) => at >= step.at)?.ms ?? 0;
    return { rtt: noisy(40), tls: noisy(45) + ms };
  });
}

/** Detects by a clock that looks every `step` seconds from `from` on, after it has caught up with what was before. */
async function detectLive(from: number, to: number, step = 1_800): Promise<void> {
  const job = createDetectionJob();
  await detectUntil(job, from);
  for (let now = from; now <= to + GRACE_SECONDS; now += step) await detectUntil(job, now);
  await job.close();
}

/** A rule of the detector's that asks for so many cells. */
const ruleOf = (minCells: number) =>
  createAlertRule({
    kind: 'detector',
    name: `at ${minCells} cells`,
    enabled: true,
    metric: null,
    params: { kinds: ['spike', 'regression', 'improvement'] },
    ...ALL,
    minCells,
  });

const DEFAULT_RULE = '01940000-0000-7000-8000-000000000001';

describe('a regression, live', { timeout: 600_000 }, () => {
  const [rise, fall] = [END - 30 * HOUR, END - 12 * HOUR];

  it('opens once a rule, where enough cells have it, and is over when the level comes back', async () => {
    await writeSteps(
      [
        { at: rise, ms: 8 },
        { at: fall, ms: 0 },
      ],
      { from: END - 4 * DAY, to: END },
    );
    const [three] = [await ruleOf(3), await ruleOf(4)];
    await detectLive(rise - HOUR, END);

    const incidents = await incidentsMade();
    const asked = [DEFAULT_RULE, three.id];
    expect(incidents.map(({ ruleId }) => ruleId).sort()).toEqual(asked);
    for (const { kind, status, timeline, effectMs, onsetAt, openedAt, cells } of incidents) {
      expect({ kind, status, cells: (cells as StoredCell[]).length }).toEqual({
        kind: 'regression',
        status: 'resolved',
        cells: 3,
      });
      expect(timeline.filter((event) => event === 'told')).toHaveLength(2);
      expect(effectMs).toBeGreaterThan(6);
      expect(effectMs).toBeLessThan(10);
      expect(Math.abs(onsetAt.getTime() / 1_000 - rise)).toBeLessThan(900);
      expect(openedAt.getTime() / 1_000).toBeLessThan(rise + 7 * HOUR);
    }
    expect((await messageTypes()).sort()).toEqual([
      'tls.regression.opened',
      'tls.regression.opened',
      'tls.regression.resolved',
      'tls.regression.resolved',
    ]);
    expect(await reasons()).toEqual(['rolled_back', 'rolled_back']);
    // What they were made of, and what ended them, is linked to the incidents of both rules.
    const linked = await getPrisma().detection.findMany({ include: { incidents: { include: { incident: true } } } });
    expect(linked.map(({ kind }) => kind).sort()).toEqual([
      ...vantages.map(() => 'improvement'),
      ...vantages.map(() => 'regression'),
    ]);
    for (const { incidents: linkedTo } of linked)
      expect(linkedTo.map(({ incident }) => incident.ruleId).sort()).toEqual(asked);
  });
});

/** Why incidents were resolved. */
async function reasons(): Promise<unknown[]> {
  const events = await getPrisma().incidentEvent.findMany({ where: { kind: 'resolved' } });
  return events.map(({ params }) => z.object({ reason: z.string() }).parse(params).reason);
}

describe('a carrier that is congested', { timeout: 600_000 }, () => {
  it('is one incident and one page, however many targets are seen through it', async () => {
    const targets = await Promise.all(Array.from({ length: SHOPS }, (_, n) => insertTarget({ name: `shop ${n}` })));
    const seen = targets.flatMap((targetId) => vantages.slice(0, 2).map((vantage) => ({ targetId, vantage })));
    const noisy = noise(7);
    const [begin, end] = [END - 2 * HOUR, END - HOUR];
    await writeHistory(seen, { from: END - 5 * HOUR, to: END, period: 90 }, (_check, at) => {
      const ms = at >= begin && at < end ? 55 : 0;
      return { rtt: noisy(40) + ms, tls: noisy(45) + ms };
    });
    // Spikes are raised cell by cell, as results come in.
    await detectLive(begin, begin + 600, 30);
    await detectLive(begin + 600, END, 600);

    const [incident, ...others] = await incidentsMade();
    expect(others).toEqual([]);
    expect(incident).toMatchObject({
      kind: 'spike',
      cause: 'network',
      carrier: 'telecom',
      targetId: null,
      status: 'resolved',
    });
    expect(incident?.timeline.filter((event) => event === 'cell_added').length).toBeGreaterThan(0);
    const cells = incident?.cells as StoredCell[];
    expect(new Set(cells.map(({ targetId }) => targetId)).size).toBe(SHOPS);
    expect(cells.every(({ recoveredAt }) => recoveredAt !== null)).toBe(true);
    expect(await messageTypes()).toEqual(['tls.spike.opened', 'tls.spike.resolved']);
  });
});
