import { beforeEach, describe, expect, it } from 'vitest';
import type { GroupId } from '#analysis/detection/detection.ts';
import { AlertRuleCreate } from '#contract/alert-rule.ts';
import type { StorableResult } from '#contract/result.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { groupKey } from '#server/incidents/detected.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { replayRule } from '#server/rules/replay.ts';
import { makeDetection, record } from '../support/detections.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { fail, insertRolledUp, REFUSED } from '../support/minutes.ts';
import { insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = WEDNESDAY;
const vantages = ['CN-BJ', 'CN-GD', 'CN-HB'].map((region) => makeVantage(region, 'unicom'));

let targetId: string;
prepareTestDatabase(vantages);
beforeEach(async () => {
  await getPool().query('update target set deleted_at = now() where deleted_at is null');
  targetId = await insertTarget({ name: 'shop' });
});

/** A result a minute of these vantages for so many minutes, `hoursAgo` before now. */
async function measure(hoursAgo: number, count: number, change?: (result: StorableResult, index: number) => void) {
  await insertRolledUp({
    targetId,
    vantages,
    from: NOW - hoursAgo * HOUR,
    count,
    ...(change ? { change: (result, _vantage, index) => change(result, index) } : {}),
  });
}

const slowBetween = (from: number, to: number) => (result: StorableResult, index: number) => {
  if (index >= from && index < to) result.phases.tls = 400;
};

const threshold = (windowMinutes: number, more = {}) =>
  AlertRuleCreate.parse({
    kind: 'threshold',
    name: 'slow',
    metric: 'tls',
    params: { stat: 'p50', above: 300, windowMinutes, minResults: 3 },
    targetIds: [targetId],
    ...more,
  });

/** All open incidents end at an instant, as the detector would say of them. */
const resolveAll = (at: Date) =>
  getPool().query(
    "update incident set status = 'resolved', resolution = 'recovered', resolved_at = $1 where status <> 'resolved'",
    [at],
  );

const replay = (draft: AlertRuleCreate) => replayRule(draft, new Date(NOW));

describe('a rule that is being edited', () => {
  it('says when a threshold would have been passed, for how long and on how many series', async () => {
    await measure(50, 60, slowBetween(20, 40));
    const found = await replay(threshold(10));
    expect(found).toMatchObject({ count: 1, stepSeconds: 600, targets: { replayed: 1, of: 1 } });
    expect(found?.incidents).toEqual([
      {
        targetId,
        openedAt: new Date(NOW - 50 * HOUR + 30 * MINUTE).toISOString(),
        endedAt: new Date(NOW - 50 * HOUR + 50 * MINUTE).toISOString(),
        series: 3,
      },
    ]);
    expect(await replay(threshold(10, { minCells: 4 }))).toMatchObject({ count: 0, incidents: [] });
    expect(await replay(threshold(10, { regions: ['CN-HB'] }))).toMatchObject({ incidents: [{ series: 1 }] });
  });

  it('counts one incident where it comes back within half an hour, and two where later', async () => {
    await measure(60, 30, slowBetween(0, 10));
    await measure(59.5, 20, slowBetween(0, 10));
    await measure(48, 20, slowBetween(0, 10));
    expect(await replay(threshold(10))).toMatchObject({ count: 2 });
  });

  it('is replayed by the minute over a day where its window is short, and by the hour where it is long', async () => {
    await measure(5, 30, slowBetween(10, 14));
    const short = await replay(threshold(3));
    expect(short).toMatchObject({ stepSeconds: 60, count: 1 });
    expect(Date.parse(short?.to ?? '') - Date.parse(short?.from ?? '')).toBe(24 * HOUR);
    expect(await replay(threshold(120))).toMatchObject({ stepSeconds: 3_600, count: 0 });
  });

  it('says when a target would have been down, and needs no results where nothing was measured', async () => {
    await measure(30, 30, (result, index) => {
      if (index >= 10 && index < 20) fail(result, REFUSED);
    });
    const down = AlertRuleCreate.parse({ kind: 'down', name: 'down', params: { windowMinutes: 10, share: 1 } });
    expect(await replay(down)).toMatchObject({ count: 1, incidents: [{ targetId, series: 3 }] });
  });

  it('is held against the stored detections where the detector judges, by series, kind and metric', async () => {
    const insert = (group: string, vantage: number, kind: string, hoursAgo: number) =>
      getPool().query(
        `insert into detection (id, group_key, target_id, vantage_id, kind, metric, at, change_at, cause)
          values (gen_random_uuid(), $1, $2, $3, $4, 'tls', $5, $5, 'network')`,
        [group, targetId, vantages[vantage]?.id, kind, new Date(NOW - hoursAgo * HOUR)],
      );
    await insert('a', 0, 'spike', 30);
    await insert('a', 1, 'spike', 29.9);
    await insert('b', 2, 'regression', 20);
    await insert('c', 2, 'spike', 200);
    const draft = (more = {}) => AlertRuleCreate.parse({ kind: 'detector', name: 'all', ...more });
    expect(await replay(draft())).toMatchObject({ count: 2, incidents: [{ series: 1 }, { series: 2 }] });
    expect(await replay(draft({ minCells: 2 }))).toMatchObject({
      incidents: [{ openedAt: new Date(NOW - 29.9 * HOUR).toISOString() }],
    });
    expect(await replay(draft({ params: { kinds: ['regression'] } }))).toMatchObject({ count: 1 });
    expect(await replay(draft({ metric: 'tcp' }))).toMatchObject({ count: 0 });
  });

  it('counts what is paged: no notes, nothing too small, and one event once, as the live rule does', async () => {
    await getPool().query('truncate incident, incident_event, detection, delivery cascade');
    const at = (minutes: number) => new Date(NOW - 20 * HOUR + minutes * 60_000);
    type Levels = { beforeMs?: number; afterMs?: number; page?: boolean; kind?: 'spike' | 'regression' };
    const found = (group: string, place: number, minutes: number, levels: Levels = {}) =>
      makeDetection({
        targetId,
        vantage: vantages[place] ?? makeVantage('CN-BJ', 'telecom'),
        at: at(minutes),
        group,
        ...levels,
      });
    const of = (changeAt: number): GroupId => ({ cause: 'server', target: targetId, changeAt });
    const [one, two, alone, gone, small, note, last] = [1, 2, 3, 4, 5, 6, 7].map((time) => groupKey(of(time)));
    if (!one || !two || !alone || !gone || !small || !note || !last) throw new Error('seven groups');
    await record([found(one, 0, 0), found(two, 1, 0)], [], at(1));
    await record([], [], at(2), [{ kind: 'merge', at: at(2).getTime() / 1_000, group: of(1), into: of(2) }]);
    await resolveAll(at(10));
    await record([found(small, 0, 100, { beforeMs: 50, afterMs: 51 })], [], at(101));
    await record([found(gone, 1, 200, { page: false })], [], at(201));
    await resolveAll(at(210));
    await record([found(note, 0, 300, { page: false, kind: 'regression' })], [], at(301));
    await record([found(alone, 1, 400, { page: false })], [], at(401));
    await sweepIncidents(at(440));
    await resolveAll(at(441));
    await record([found(last, 0, 600, { kind: 'regression' })], [], at(601));
    const told = await getPrisma().incident.count({ where: { mergedInto: null, notifiedAt: { not: null } } });
    expect(told).toBe(3);
    expect(await replay(AlertRuleCreate.parse({ kind: 'detector', name: 'all' }))).toMatchObject({ count: told });
  });

  it('says how many targets there was time for, and nothing of kinds that judge what is so today', async () => {
    const other = await insertTarget({ name: 'api' });
    expect(await replayRule(threshold(10, { targetIds: [targetId, other] }), new Date(NOW), 0)).toMatchObject({
      targets: { replayed: 1, of: 2 },
    });
    expect(await replay(AlertRuleCreate.parse({ kind: 'certificate', name: 'old' }))).toBeNull();
  });
});
