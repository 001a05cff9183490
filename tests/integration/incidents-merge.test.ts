import { describe, expect, it } from 'vitest';
import type { GroupChange, GroupId } from '#analysis/detection/detection.ts';
import { IncidentsQuery } from '#contract/incident.ts';
import { getPrisma } from '#server/database/database.ts';
import { groupKey } from '#server/incidents/detected.ts';
import { getIncident, listIncidents } from '#server/incidents/incidents.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { makeDetection, record } from '../support/detections.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const NOON = new Date('2026-11-20T12:00:00Z');
const later = (minutes: number) => new Date(NOON.getTime() + minutes * MINUTE);
const vantages = ['CN-BJ', 'CN-GD', 'CN-HB'].map((region) => makeVantage(region, 'telecom'));

let targetId: string;
incidentScene({ vantages, begin: (id) => (targetId = id) });

const OF_TARGET = (): GroupId => ({ cause: 'server', target: targetId, changeAt: NOON.getTime() / 1_000 });
const OF_CARRIER: GroupId = { cause: 'network', country: 'CN', carrier: 'telecom', changeAt: NOON.getTime() / 1_000 };

/** A spike at one of the vantages, found so many minutes after noon. */
function spikeAt(place: number, minutes: number, group: GroupId, page = true) {
  const vantage = vantages[place];
  if (!vantage) throw new Error(`no vantage ${place}`);
  const { cause } = group;
  return makeDetection({ targetId, vantage, at: later(minutes), changeAt: NOON, cause, group: groupKey(group), page });
}

const all = async () => (await listIncidents(IncidentsQuery.parse({ limit: '100' }))).data;
async function messages() {
  const rows = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });
  return rows.map(({ eventType, incidentId }) => `${eventType} ${incidentId}`);
}

describe('one series alone', () => {
  it('is told of after half an hour', async () => {
    await record([spikeAt(0, 2, OF_TARGET(), false)], [], later(3));
    const [incident] = await all();
    expect(incident).toMatchObject({ status: 'open', heldUntil: later(30).toISOString() });
    await sweepIncidents(later(29));
    expect(await messages()).toEqual([]);
    await sweepIncidents(later(30));
    expect(await messages()).toEqual([`tls.spike.opened ${incident?.id}`]);
  });

  it('is told of at once when another one joins', async () => {
    await record([spikeAt(0, 2, OF_TARGET(), false)], [], later(3));
    await record([spikeAt(1, 4, OF_TARGET())], [], later(5));
    const [incident] = await all();
    expect(incident).toMatchObject({ heldUntil: null, cells: { length: 2 } });
    expect(await messages()).toEqual([`tls.spike.opened ${incident?.id}`]);
  });
});

describe('two incidents of one event', () => {
  const merge = (group = OF_TARGET(), into: GroupId = OF_CARRIER): GroupChange => ({
    kind: 'merge',
    at: later(6).getTime() / 1_000,
    group,
    into,
  });
  const apart = () => record([spikeAt(0, 2, OF_TARGET()), spikeAt(1, 2, OF_CARRIER)], [], later(3));

  it('may have one name, and a later group that of one that is part of another', async () => {
    const [target, carrier] = [OF_TARGET(), OF_CARRIER];
    const found = [spikeAt(0, 2, target), spikeAt(1, 2, carrier), spikeAt(2, 3, target)];
    await record(found, [], later(6), [merge(target, target), merge(target, carrier), merge(carrier, target)]);
    const open = await getPrisma().incident.findMany({ where: { status: 'open' } });
    expect(open).toMatchObject([{ groups: expect.arrayContaining([target, carrier].map(groupKey)) }]);
    expect(open[0]?.cells).toHaveLength(3);
  });

  it('stay one: what comes anew about the same target does not open the other again', async () => {
    await apart();
    await record([], [], later(6), [merge()]);
    const [merged] = await getPrisma().incident.findMany({ where: { mergedInto: { not: null } } });
    const anew: GroupId = { ...OF_TARGET(), changeAt: later(20).getTime() / 1_000 };
    await record([spikeAt(2, 22, anew)], [], later(23));
    const again = await getPrisma().incident.findUnique({ where: { id: merged?.id ?? '' } });
    expect(again).toMatchObject({ status: 'resolved', mergedInto: expect.any(String) });
    expect(await all()).toHaveLength(2);
  });

  it('become one, with all cells and detections; the other says where it goes on, and so do its messages', async () => {
    await apart();
    const [first, second] = await all();
    if (!first || !second) throw new Error('there are two');
    await record([spikeAt(2, 6, OF_CARRIER)], [], later(7), [merge()]);
    const [left, ...others] = await all();
    if (!left) throw new Error('there is one');
    expect(others).toEqual([]);
    const gone = left.id === first.id ? second : first;
    expect(left).toMatchObject({ cause: 'network', status: 'open', cells: { length: 3 }, mergedInto: null });
    expect(await getIncident(gone.id)).toMatchObject({
      status: 'resolved',
      resolution: 'merged',
      mergedInto: left.id,
      events: expect.arrayContaining([expect.objectContaining({ kind: 'merged', params: { into: left.id } })]),
    });
    const { events } = await getIncident(left.id);
    await sweepIncidents(later(8));
    expect(events).toContainEqual(expect.objectContaining({ kind: 'merged', params: { from: gone.id } }));
    const sent = await messages();
    expect(sent.slice(0, 2).sort()).toEqual([first.id, second.id].map((id) => `tls.spike.opened ${id}`).sort());
    expect(sent.slice(2).sort()).toEqual([`tls.spike.resolved ${gone.id}`, `tls.spike.updated ${left.id}`].sort());
    expect(await getPrisma().incidentDetection.count({ where: { incidentId: left.id } })).toBe(3);
    const asked = await listIncidents(IncidentsQuery.parse({ resolution: 'merged' }));
    expect(asked.data.map(({ id }) => id)).toEqual([gone.id]);
  });

  it('stay one: what either group brings later joins it', async () => {
    await apart();
    await record([spikeAt(2, 6, OF_CARRIER)], [], later(7), [merge()]);
    await record([spikeAt(0, 8, OF_TARGET())], [], later(9));
    expect(await all()).toHaveLength(1);
  });

  it('found within one stretch are opened as one', async () => {
    await record([spikeAt(0, 2, OF_TARGET()), spikeAt(1, 6, OF_CARRIER)], [], later(7), [merge()]);
    expect(await all()).toMatchObject([{ cells: { length: 2 }, reopened: 0 }]);
    expect(await messages()).toHaveLength(1);
  });
});

describe('what is too small to show', () => {
  const small = (place: number, minutes: number, levels: { beforeMs: number; afterMs: number }) => {
    const vantage = vantages[place] ?? makeVantage('CN-BJ', 'telecom');
    const group = groupKey(OF_TARGET());
    return makeDetection({ targetId, vantage, at: later(minutes), changeAt: NOON, group, ...levels });
  };

  it('is kept as detections and is no incident, until the event is larger', async () => {
    await record([small(0, 2, { beforeMs: 50, afterMs: 57 })], [], later(3));
    expect(await all()).toEqual([]);
    expect(await getPrisma().detection.count()).toBe(1);
    await record(
      [small(1, 3, { beforeMs: 50, afterMs: 90 }), small(2, 3, { beforeMs: 50, afterMs: 80 })],
      [],
      later(4),
    );
    expect(await all()).toMatchObject([{ cells: { length: 3 }, affected: { series: 3 }, effectMs: 35 }]);
    expect(await getPrisma().incidentDetection.count()).toBe(3);
  });

  it('has the sign of its kind: what fell is no spike', async () => {
    await record([small(0, 2, { beforeMs: 50, afterMs: 20 })], [], later(3));
    expect(await all()).toEqual([]);
  });
});

describe('the cause of an incident', () => {
  it('is corrected when most series show another one, and who was told is told', async () => {
    await record([spikeAt(0, 2, OF_TARGET())], [], later(3));
    const [before] = await all();
    const change: GroupChange = {
      kind: 'cause',
      at: later(5).getTime() / 1_000,
      group: OF_TARGET(),
      cause: 'network',
      scope: { country: 'CN', carrier: 'telecom' },
    };
    await record([spikeAt(1, 5, OF_TARGET())], [], later(6), [change]);
    const incident = await getIncident(before?.id ?? '');
    expect(incident).toMatchObject({ cause: 'network', status: 'open', cells: { length: 2 } });
    const corrected = incident.events.filter(({ kind }) => kind === 'cause_changed');
    expect(corrected).toMatchObject([{ params: { from: 'server', to: 'network' } }]);
    await sweepIncidents(later(7));
    expect(await messages()).toEqual([`tls.spike.opened ${incident.id}`, `tls.spike.updated ${incident.id}`]);
    const [, update] = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });
    expect(update?.payload).toMatchObject({ data: { cause: 'network' } });
  });
});
