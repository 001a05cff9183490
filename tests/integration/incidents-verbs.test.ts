import { describe, expect, it } from 'vitest';
import { IncidentsQuery } from '#contract/incident.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { getIncident, listIncidents } from '#server/incidents/incidents.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { createAlertRule } from '#server/rules/rules.ts';
import { type Made, makeDetection, makeEnd, record } from '../support/detections.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const NOON = new Date('2026-11-20T12:00:00Z');
const later = (minutes: number) => new Date(NOON.getTime() + minutes * MINUTE);
const vantages = ['CN-BJ', 'CN-GD', 'CN-HB', 'CN-SH'].map((region) => makeVantage(region, 'telecom'));

let targetId: string;
incidentScene({ vantages, also: ['lowered_sensitivity'], begin: (id) => (targetId = id) });

const vantageAt = (place: number) => {
  const vantage = vantages[place];
  if (!vantage) throw new Error(`no vantage ${place}`);
  return vantage;
};

/** A detection at one of the vantages, found so many minutes after noon. */
const found = (place: number, minutes: number, group = 'one', given: Partial<Made> = {}) =>
  makeDetection({ targetId, vantage: vantageAt(place), at: later(minutes), changeAt: NOON, group, ...given });

const all = async (query = '') =>
  (await listIncidents(IncidentsQuery.parse(Object.fromEntries(new URLSearchParams(`limit=100&${query}`))))).data;
const only = async () => {
  const [incident, ...others] = await all();
  if (!incident || others.length > 0) throw new Error('there is one');
  return incident;
};
/** The messages so far; what is corrected waits until it has stopped changing. */
async function messages() {
  await sweepIncidents(later(11));
  const rows = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });
  return rows.map(({ eventType, incidentId }) => `${eventType} ${incidentId}`);
}
const series = (...places: number[]) => places.map((place) => ({ targetId, vantageId: vantageAt(place).id ?? '' }));
const placesOf = (cells: { vantageId: string | null }[]) =>
  cells.map(({ vantageId }) => vantages.findIndex(({ id }) => id === vantageId)).sort();

type Patch = Parameters<typeof updateIncident>[1];
const act = (id: string, patch: Partial<Patch> & Pick<Patch, 'action'>, minutes = 10, by = 'Li') =>
  updateIncident(id, { note: '', ...patch }, by, later(minutes));
const refused = (message: RegExp, code = 'conflict') =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('accepting', () => {
  it('ends it as the new normal in the name of the person; what goes on does not open it again, series that join do', async () => {
    await record([found(0, 2), found(1, 2)], [], later(3));
    const { id } = await only();
    const accepted = await act(id, { action: 'accept', note: 'new CDN' });
    expect(accepted).toMatchObject({ state: 'accepted', resolution: 'accepted', resolvedBy: 'Li', effectMs: 100 });
    expect(accepted.events.at(-2)).toMatchObject({
      kind: 'accepted',
      text: 'new CDN',
      params: { by: 'Li', reason: 'by_person' },
    });
    expect(await messages()).toEqual([`tls.spike.opened ${id}`, `tls.spike.resolved ${id}`]);
    await record([found(0, 12, 'one', { metric: 'firstByte' })], [], later(12));
    expect(await getIncident(id)).toMatchObject({ state: 'accepted', reopened: 0 });
    await record([found(2, 14)], [], later(14));
    expect(await getIncident(id)).toMatchObject({ state: 'open', resolvedBy: null, reopened: 1, cells: { length: 4 } });
  });

  it('is refused twice, of what is back to normal, and of what has no level', async () => {
    await record([found(0, 2)], [], later(3));
    const { id } = await only();
    const both = await Promise.allSettled(['Li', 'Wang'].map((by) => act(id, { action: 'accept' }, 10, by)));
    const reasons = both.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(reasons).toEqual([refused(/is accepted already/)]);
    await getPrisma().incident.update({
      where: { id },
      data: { status: 'open', resolution: null, cells: [{ ...found(0, 2).cell, quietSince: later(5).toISOString() }] },
    });
    await expect(act(id, { action: 'accept' })).rejects.toEqual(refused(/back to normal since 2026-11-20T12:05/));
    await getPrisma().incident.update({ where: { id }, data: { kind: 'down' } });
    for (const action of ['accept', 'not_useful'] as const)
      await expect(act(id, { action })).rejects.toEqual(refused(/kind down/));
    await expect(act(id, { action: 'split', cells: series(0) })).rejects.toEqual(refused(/kind down/));
  });
});

describe('not useful', () => {
  const next = (minutes: number, afterMs: number, group: string) =>
    record([found(1, minutes, group, { afterMs, changeAt: later(minutes - 2) })], [], later(minutes));

  it('ends it, and doubles the effect that new ones of its kind, rule and scope need', async () => {
    await record([found(0, 2)], [], later(3));
    const { id } = await only();
    const said = await act(id, { action: 'not_useful', note: 'backup window' });
    expect(said).toMatchObject({
      state: 'resolved',
      resolution: 'by_hand',
      notUseful: { by: 'Li', at: later(10).toISOString(), until: later(10 + 14 * 24 * 60).toISOString() },
    });
    expect(said.events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['not_useful', 'resolved']));
    // What goes on of the same event stays over.
    await record([found(2, 12)], [], later(12));
    expect(await only()).toMatchObject({ state: 'resolved' });
    // 30% and 15 ms are shown elsewhere, 50% and 25 ms here too.
    await next(200, 65, 'two');
    expect(await all()).toHaveLength(1);
    await next(300, 75, 'three');
    expect((await all()).map(({ state }) => state)).toEqual(['open', 'resolved']);
    expect((await all('notUseful=true')).map((each) => each.id)).toEqual([id]);
    expect((await all('notUseful=false')).map((each) => each.state)).toEqual(['open']);
  });

  it('holds for that target and kind alone', async () => {
    await record([found(0, 2)], [], later(3));
    await act((await only()).id, { action: 'not_useful' });
    const other = await insertTarget({ name: 'other' });
    const small = {
      targetId: other,
      vantage: vantageAt(1),
      at: later(20),
      group: 'elsewhere',
      beforeMs: 50,
      afterMs: 65,
    };
    await record([makeDetection(small)], [], later(20));
    await record([found(1, 400, 'stays', { kind: 'regression', afterMs: 56 })], [], later(400));
    expect((await all()).map(({ kind }) => kind).sort()).toEqual(['regression', 'spike', 'spike']);
  });

  it('ends after 14 days, or when it is taken back', async () => {
    await record([found(0, 2)], [], later(3));
    const { id } = await only();
    await act(id, { action: 'not_useful' });
    await expect(act(id, { action: 'not_useful' }, 11)).rejects.toEqual(refused(/not useful already/));
    const undone = await act(id, { action: 'undo_not_useful' }, 20, 'Wang');
    expect(undone.notUseful).toBeNull();
    expect(undone.events.at(-1)).toMatchObject({ kind: 'not_useful', params: { by: 'Wang', undone: true } });
    await expect(act(id, { action: 'undo_not_useful' }, 21)).rejects.toEqual(refused(/is not called not useful/));
    await next(200, 65, 'two');
    expect(await all()).toHaveLength(2);
    await act(id, { action: 'not_useful' }, 210);
    const after = 210 + 14 * 24 * 60 + 1;
    await next(after, 65, 'three');
    expect(await all()).toHaveLength(3);
    await expect(act(id, { action: 'undo_not_useful' }, after)).rejects.toEqual(refused(/no longer holds/));
  });
});

describe('merging', () => {
  it('makes it part of the other, by whom, in both timelines and messages', async () => {
    await record([found(0, 2, 'one'), found(1, 2, 'two', { cause: 'network' })], [], later(3));
    const [a, b] = await all();
    if (!a || !b) throw new Error('there are two');
    await act(a.id, { action: 'merge', into: b.id, note: 'same router' });
    expect(await getIncident(b.id)).toMatchObject({
      state: 'open',
      cells: { length: 2 },
      events: expect.arrayContaining([
        expect.objectContaining({ kind: 'merged', text: 'same router', params: { from: a.id, by: 'Li' } }),
      ]),
    });
    expect(await getIncident(a.id)).toMatchObject({ resolution: 'merged', mergedInto: b.id, resolvedBy: 'Li' });
    expect((await messages()).slice(2).sort()).toEqual(
      [`tls.spike.resolved ${a.id}`, `tls.spike.updated ${b.id}`].sort(),
    );
    const end = await getPrisma().delivery.findFirstOrThrow({
      where: { incidentId: a.id, eventType: 'tls.spike.resolved' },
    });
    expect(end.payload).toMatchObject({ data: { mergedInto: b.id, resolution: 'merged' } });
    // What the detector finds of either goes on in the one.
    await record([found(2, 12, 'one')], [], later(12));
    expect(await only()).toMatchObject({ id: b.id, cells: { length: 3 } });
    expect(await getPrisma().incidentDetection.count({ where: { incidentId: b.id } })).toBe(3);
  });

  it('is refused into itself, into what is over or unknown or another rule’s, and twice', async () => {
    await record([found(0, 2, 'one'), found(1, 2, 'two', { cause: 'network' })], [], later(3));
    const [a, b] = await all();
    if (!a || !b) throw new Error('there are two');
    await expect(act(a.id, { action: 'merge', into: a.id })).rejects.toEqual(refused(/part of itself/));
    const unknown = '01970000-0000-7000-8000-000000000009';
    await expect(act(a.id, { action: 'merge', into: unknown })).rejects.toEqual(refused(/no incident/, 'not_found'));
    const rule = await createAlertRule({
      kind: 'detector',
      name: 'another',
      severity: 'warning',
      enabled: false,
      targetIds: [],
      regions: [],
      carriers: [],
      minCells: 1,
      reminderMinutes: null,
      metric: null,
      params: { kinds: ['spike'] },
    });
    await getPrisma().incident.update({ where: { id: b.id }, data: { ruleId: rule.id } });
    await expect(act(a.id, { action: 'merge', into: b.id })).rejects.toEqual(refused(/another rule/));
    await getPrisma().incident.update({ where: { id: b.id }, data: { ruleId: a.ruleId } });
    const opposite = await Promise.allSettled([
      act(a.id, { action: 'merge', into: b.id }),
      act(b.id, { action: 'merge', into: a.id }),
    ]);
    expect(opposite.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [left] = await all();
    const gone = left?.id === a.id ? b.id : a.id;
    await expect(act(gone, { action: 'merge', into: left?.id ?? '' })).rejects.toEqual(refused(/part of .* already/));
    await act(left?.id ?? '', { action: 'resolve' });
    await record([found(2, 300, 'three')], [], later(300));
    const third = (await all()).find(({ state }) => state === 'open');
    await expect(act(third?.id ?? '', { action: 'merge', into: left?.id ?? '' }, 301)).rejects.toEqual(
      refused(/is resolved/),
    );
  });
});

describe('splitting', () => {
  const two = async () => {
    await record([found(0, 2), found(1, 2), found(2, 2)], [], later(3));
    const { id } = await only();
    await act(id, { action: 'split', cells: series(1, 2), note: 'another office' });
    const made = (await all()).find((each) => each.id !== id);
    if (!made) throw new Error('there are two');
    return { id, made };
  };

  it('makes an incident of these series, with their detections, and tells of both', async () => {
    const { id, made } = await two();
    expect(made).toMatchObject({ state: 'open', splitFrom: id, kind: 'spike', effectMs: 100 });
    expect(placesOf(made.cells)).toEqual([1, 2]);
    const [before, after] = [await getIncident(id), await getIncident(made.id)];
    expect(placesOf(before.cells)).toEqual([0]);
    const text = 'another office';
    expect(before.events).toContainEqual(
      expect.objectContaining({ kind: 'split', text, params: { into: made.id, by: 'Li', cells: series(1, 2) } }),
    );
    expect(after.events).toContainEqual(
      expect.objectContaining({ kind: 'split', text, params: { from: id, by: 'Li', cells: series(1, 2) } }),
    );
    expect(await messages()).toEqual([
      `tls.spike.opened ${id}`,
      `tls.spike.opened ${made.id}`,
      `tls.spike.updated ${id}`,
    ]);
    const count = (incidentId: string) => getPrisma().incidentDetection.count({ where: { incidentId } });
    expect([await count(id), await count(made.id)]).toEqual([1, 2]);
  });

  it('takes what the detector says later of these series, and nothing else', async () => {
    const { id, made } = await two();
    await record([found(1, 12, 'one', { metric: 'firstByte' }), found(3, 12)], [], later(12));
    expect(placesOf((await getIncident(made.id)).cells)).toEqual([1, 1, 2]);
    expect(placesOf((await getIncident(id)).cells)).toEqual([0, 3]);
    await record([found(2, 300, 'one', { kind: 'regression' })], [], later(300));
    expect(await getIncident(made.id)).toMatchObject({ kind: 'regression' });
    expect(await getIncident(id)).toMatchObject({ kind: 'spike' });
    const ends = [0, 3].map((place) => makeEnd(found(place, 2), vantageAt(place), later(400)));
    await record([], ends, later(400));
    expect(await getIncident(id)).toMatchObject({ state: 'resolved', resolution: 'recovered' });
    expect(await getIncident(made.id)).toMatchObject({ state: 'open' });
  });

  it('outlasts what the detector says of the rest: merged groups bring its series to it still', async () => {
    const { id, made } = await two();
    const group = { cause: 'server', target: targetId, changeAt: NOON.getTime() / 1_000 } as const;
    const into = { ...group, changeAt: group.changeAt + 600 };
    const name = (of: typeof into) => `server/${targetId}/${of.changeAt}`;
    await getPool().query('update incident set groups = $1', [[name(group)]]);
    await record([found(3, 11, name(into))], [], later(11));
    await record([], [], later(12), [{ kind: 'merge', at: later(12).getTime() / 1_000, group, into }]);
    expect(await getIncident(made.id)).toMatchObject({ mergedInto: null, state: 'open' });
    expect((await getIncident(id)).mergedInto).not.toBeNull();
    await record([found(1, 13, name(into), { metric: 'firstByte' })], [], later(13));
    expect(placesOf((await getIncident(made.id)).cells)).toEqual([1, 1, 2]);
  });

  it('is refused of series that it does not have, of all, and of none that goes on', async () => {
    await record([found(0, 2), found(1, 2)], [], later(3));
    const { id } = await only();
    await expect(act(id, { action: 'split', cells: series(0, 3) })).rejects.toEqual(refused(/cells\.1/, 'invalid'));
    await expect(act(id, { action: 'split', cells: series(0, 1) })).rejects.toEqual(
      refused(/nothing that goes on/, 'invalid'),
    );
    await record([], [makeEnd(found(1, 2), vantageAt(1), later(60))], later(60));
    await expect(act(id, { action: 'split', cells: series(1) }, 61)).rejects.toEqual(refused(/all over/, 'invalid'));
    await act(id, { action: 'resolve' }, 62);
    await expect(act(id, { action: 'split', cells: series(0) }, 63)).rejects.toEqual(refused(/resolved already/));
  });

  it('can be taken back by merging', async () => {
    const { id, made } = await two();
    await act(made.id, { action: 'merge', into: id }, 20);
    expect(placesOf((await only()).cells)).toEqual([0, 1, 2]);
    await record([found(1, 22, 'one', { metric: 'firstByte' })], [], later(22));
    expect(await only()).toMatchObject({ id, cells: { length: 4 } });
  });
});
