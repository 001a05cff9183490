import { describe, expect, it } from 'vitest';
import type { ClosedSpike, OpenSpike } from '#analysis/detection/detection.ts';
import { DetectionsQuery } from '#contract/detection.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { listDetections } from '#server/incidents/detections.ts';
import { MEASURED_AGAIN, openGrown } from '#server/incidents/unshown-spikes.ts';
import { rulesOf } from '#server/rules/rules.ts';
import { incidentsMade } from '../support/detecting.ts';
import { makeDetection, record } from '../support/detections.ts';
import { writeHistory } from '../support/history.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { makeVantage } from '../support/vantages.ts';

const NOON = new Date('2026-11-20T12:00:00Z');
const SECONDS = NOON.getTime() / 1_000;
const later = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);
const vantages = ['CN-BJ', 'CN-GD'].map((region) => makeVantage(region, 'telecom'));
const [beijing, guangdong] = vantages as [(typeof vantages)[0], (typeof vantages)[0]];

let targetId: string;
incidentScene({ vantages, webhook: false, also: ['result'], begin: (id) => (targetId = id) });

const small = (vantage = beijing) =>
  makeDetection({ targetId, vantage, at: later(2), changeAt: NOON, beforeMs: 50, afterMs: 56, page: false });
const openAt = ({ id, region, carrier }: typeof beijing, quietSince: number | null = null): OpenSpike => ({
  ...{ target: targetId, vantage: id, country: 'CN', region, carrier },
  metric: 'tls',
  changeAt: SECONDS,
  quietSince,
});
const look = async (open: OpenSpike[], minutes: number) =>
  openGrown(open, SECONDS + minutes * 60, await rulesOf(getPrisma(), 'detector'), later(minutes));
const log = async (query: Record<string, string> = {}) =>
  (await listDetections(DetectionsQuery.parse({ target: targetId, ...query }))).data;

/** An hour of 50 ms, and from noon on as many more as `above` says for so many minutes after it. */
const measured = (vantage: typeof beijing, above: (minutes: number) => number) =>
  writeHistory([{ targetId, vantage }], { from: SECONDS - 3_600, to: SECONDS + 1_200, period: 30 }, (_check, at) => ({
    rtt: 40,
    tls: 50 + (at < SECONDS ? 0 : above((at - SECONDS) / 60)),
  }));

describe('a spike that is too small when it is raised', () => {
  it('opens its incident when it has grown, once, and waits as one series alone does', async () => {
    await measured(beijing, (minutes) => (minutes < 4 ? 6 : 40));
    await record([small()], [], later(2));
    expect(await look([openAt(beijing)], 3)).toBe(0);
    expect(await incidentsMade()).toEqual([]);
    expect(await log({ incident: 'false' })).toMatchObject([{ kind: 'spike', beforeMs: 50, afterMs: 56 }]);
    expect(await look([openAt(beijing)], 10)).toBe(1);
    const [incident] = await incidentsMade();
    expect(incident).toMatchObject({ kind: 'spike', status: 'open', onsetAt: NOON, heldUntil: later(30) });
    expect(incident?.effectMs).toBeGreaterThan(30);
    expect(await log({ incident: 'false' })).toEqual([]);
    expect(await log({ incident: 'true' })).toMatchObject([{ incidentIds: [incident?.id] }]);
    expect(await look([openAt(beijing)], 11)).toBe(0);
    expect(await incidentsMade()).toHaveLength(1);
  });

  it('of resumed handshakes is measured by these, and is known to the detector by its own series', async () => {
    const checks = [{ targetId, vantage: beijing }];
    const range = { from: SECONDS - 3_600, to: SECONDS + 1_200, period: 30 };
    await writeHistory(checks, range, () => ({ rtt: 40, tls: 50 }));
    await writeHistory(checks, range, (_check, at) => ({ rtt: 40, tls: at < SECONDS ? 20 : 60, refused: false }));
    const made = small();
    await record([{ ...made, cell: { ...made.cell, variant: 'resumed', beforeMs: 20, afterMs: 26 } }], [], later(2));
    expect(await look([openAt(beijing)], 10)).toBe(0);
    const open: OpenSpike = { ...openAt(beijing), variant: 'resumed' };
    expect(await look([open], 10)).toBe(1);
    const [incident] = await incidentsMade();
    expect(incident).toMatchObject({ status: 'open', cells: [{ variant: 'resumed', beforeMs: 20, afterMs: 60 }] });
    const end: ClosedSpike = { ...open, endedAt: SECONDS + 900, at: SECONDS + 2_700, by: 'quiet' };
    await record([], [end], later(45));
    expect(await incidentsMade()).toMatchObject([{ status: 'resolved' }]);
  });

  it('joins the incident that its event has by then', async () => {
    await measured(beijing, () => 40);
    await record([small()], [], later(2));
    await record([makeDetection({ targetId, vantage: guangdong, at: later(3), changeAt: NOON })], [], later(3));
    // Its event's incident brings what was found of it before.
    expect(await incidentsMade()).toMatchObject([{ cells: { length: 2 } }]);
    expect(await look([openAt(beijing)], 4)).toBe(0);
  });

  it('stays in the log where it does not grow, or is quiet again', async () => {
    await measured(beijing, () => 6);
    await measured(guangdong, () => 40);
    await record([small()], [], later(2));
    expect(await look([openAt(beijing)], 15)).toBe(0);
    await getPool().query('truncate detection cascade');
    await record([small(guangdong)], [], later(2));
    expect(await look([openAt(guangdong, SECONDS + 300)], 10)).toBe(0);
    expect(await incidentsMade()).toEqual([]);
    expect(await log({ incident: 'false', vantage: guangdong.id })).toHaveLength(1);
  });

  it('is measured in a minute where it is one of the latest two hundred', async () => {
    await measured(beijing, () => 6);
    const made = Array.from({ length: MEASURED_AGAIN + 1 }, (_, second) => {
      const changeAt = new Date(NOON.getTime() + second * 1_000);
      const [at, group] = [new Date(later(2).getTime() + second * 1_000), `${second}`];
      return makeDetection({ targetId, vantage: beijing, at, changeAt, beforeMs: 50, afterMs: 54, group });
    });
    await record(made, [], later(6));
    const open = made.map(({ changeAt }) => ({ ...openAt(beijing), changeAt: changeAt.getTime() / 1_000 }));
    expect(await look(open, 15)).toBe(0);
    const untouched = (await log({ limit: '1000' })).filter(({ afterMs }) => afterMs === 54);
    expect(untouched.map(({ changeAt }) => changeAt)).toEqual([NOON.toISOString()]);
  });
});

describe('the log of series', () => {
  it('is filtered, and read a page at a time', async () => {
    const made = [0, 5, 10].map((minutes) =>
      makeDetection({
        targetId,
        vantage: minutes === 5 ? guangdong : beijing,
        at: later(minutes),
        afterMs: 54,
        group: `${minutes}`,
      }),
    );
    await record(made, [], later(11));
    expect((await log()).map(({ at }) => at)).toEqual([10, 5, 0].map((minutes) => later(minutes).toISOString()));
    expect(await log({ region: 'CN-GD' })).toMatchObject([{ region: 'CN-GD', targetName: 'shop', incidentIds: [] }]);
    expect(await log({ kind: 'regression' })).toEqual([]);
    expect(await log({ from: later(5).toISOString(), to: later(10).toISOString() })).toHaveLength(1);
    const first = await listDetections(DetectionsQuery.parse({ limit: '2' }));
    const second = await listDetections(DetectionsQuery.parse({ limit: '2', cursor: first.nextCursor ?? '' }));
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(made.map(({ id }) => id).toReversed());
    expect(second.nextCursor).toBeNull();
    await expect(listDetections(DetectionsQuery.parse({ cursor: 'made-up' }))).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});
