import { v7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import type { IncidentKind } from '#contract/incident-vocabulary.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { reviseExplanations } from '#server/incidents/explain.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { textOf } from '#server/webhooks/text.ts';
import { makeDetection, record } from '../support/detections.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { insertMinutes } from '../support/minutes.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
/** Thursday, 18:00 in China. */
const ONSET = new Date('2026-11-19T10:00:00Z');
const later = (minutes: number) => new Date(ONSET.getTime() + minutes * MINUTE);
const telecom = ['CN-BJ', 'CN-GD'].map((region) => makeVantage(region, 'telecom'));
const unicom = ['CN-BJ', 'CN-GD', 'CN-HB', 'CN-SH'].map((region) => makeVantage(region, 'unicom'));
const vantages = [...telecom, ...unicom];

let targetId: string;
incidentScene({ vantages, also: ['target'], begin: (id) => (targetId = id) });

/** An hour of 40 ms at all, then 10 minutes of 70 ms at those of telecom, of 44 ms at the others. */
const measure = () =>
  insertMinutes({
    targetId,
    vantages,
    from: ONSET.getTime() - 60 * MINUTE,
    count: 70,
    change: (result: StorableResult, { carrier }: VantageRef, index) =>
      Object.assign(result.phases, { tls: index < 60 ? 40 : carrier === 'telecom' ? 70 : 44 }),
  });

type Found = Partial<Pick<Parameters<typeof makeDetection>[0], 'kind' | 'metric' | 'beforeMs' | 'afterMs'>>;

/** The incident of what the detector has found at telecom after so many minutes. */
async function detect(minutes: number, more: Found = {}) {
  const found = telecom.map((vantage) =>
    makeDetection({ targetId, vantage, at: later(minutes), changeAt: ONSET, beforeMs: 40, afterMs: 70, ...more }),
  );
  await record(found, [], later(minutes));
  const { id } = await getPrisma().incident.findFirstOrThrow({ orderBy: { id: 'desc' } });
  return await getIncident(id);
}

const revise = async (id: string, minutes: number) => {
  const position = later(minutes).getTime() / 1_000;
  await reviseExplanations({ before: position - 60, position }, later(minutes));
  return await getIncident(id);
};

const insertOther = async (kind: IncidentKind, resolvedAt: Date | null, onsetAt = later(-90)) => {
  const cells = unicom.slice(0, 2).map(({ id: vantageId = null, region, carrier }) => {
    const series = { targetId, vantageId, region, carrier, kind, metric: 'tls' };
    return cellOf({ ...series, at: ONSET, beforeMs: 1, afterMs: 2, recoveredAt: resolvedAt?.toISOString() ?? null });
  });
  const status = resolvedAt === null ? 'open' : 'resolved';
  const { id } = await getPrisma().incident.create({
    data: {
      ...{ id: v7(), kind, groupKey: 'other', groups: [], severity: 'warning', status, resolvedAt },
      ...{ cells, openedAt: onsetAt, onsetAt },
    },
  });
  return id;
};

describe('what an incident would be without itself', () => {
  it('is its level before by what series moved by that it does not affect; what it is, is the level that is told of it', async () => {
    await measure();
    const { id, counterfactual: atFirst } = await detect(4);
    // Others may be affected, too, and not found yet.
    expect(atFirst).toBeNull();
    const { counterfactual, affected, effectMs } = await revise(id, 10);
    const at = later(10).toISOString();
    expect(counterfactual).toEqual({ withoutMs: expect.closeTo(44, 3), nowMs: 70, series: 2, siblings: 4, at });
    expect({ before: affected.before, now: affected.after, effectMs }).toEqual({ before: 40, now: 70, effectMs: 30 });
  });

  it('is told with the first message of what was found later', async () => {
    await measure();
    const { counterfactual } = await detect(10);
    expect(counterfactual).toMatchObject({ siblings: 4 });
    const { payload } = await getPrisma().delivery.findFirstOrThrow();
    const { data } = payload as { data: Record<string, unknown> };
    const { lines } = textOf({ type: 'tls.spike.opened', timestamp: ONSET.toISOString(), data }, 'en');
    expect(lines).toContain('Without it about 44 ms, in fact 70.0 ms');
  });

  it('leaves out what another incident touches, or did within the hour before, and then says nothing', async () => {
    await measure();
    const { id } = await detect(4);
    const siblings = async (...made: Parameters<typeof insertOther>) => {
      const other = await insertOther(...made);
      const { counterfactual } = await revise(id, 10);
      await getPrisma().incident.delete({ where: { id: other } });
      return counterfactual?.siblings ?? null;
    };
    expect(await siblings('spike', later(-61))).toBe(4);
    expect(await siblings('spike', null, later(11))).toBe(4);
    expect(await siblings('improvement', later(-30))).toBeNull();
    expect(await siblings('spike', null)).toBeNull();
    expect(await siblings('down', later(1))).toBeNull();
  });

  it('of a lasting change, whose level before is that of its hours, is by what they moved by beyond their usual day', async () => {
    await measure();
    expect((await detect(10)).counterfactual?.withoutMs).toBeCloseTo(44, 3);
    await getPool().query('truncate incident, detection cascade');
    const { id, counterfactual: unknown } = await detect(10, { kind: 'regression' });
    expect(unknown).toBeNull();
    // By hour class, working days first: from 18 o'clock it is a twentieth slower anyway.
    const levels = [40, 40, 42, 40, 40, 42];
    const usual = Object.fromEntries(unicom.map((vantage) => [vantage.id, { tls: { levels, since: null } }]));
    await getPool().query(
      `insert into target_usual (target_id, at, levels, overall) values ($1, now(), $2, '{"country": "", "metrics": {}}')`,
      [targetId, usual],
    );
    expect((await revise(id, 11)).counterfactual?.withoutMs).toBeCloseTo((40 * 44) / 42, 3);
  });

  it('is forgotten of both, with the explanation, where series become an incident of their own', async () => {
    await measure();
    const { id, counterfactual, explanation } = await detect(10);
    expect([counterfactual, explanation]).not.toContain(null);
    const other = await insertOther('spike', null);
    const cells = [{ targetId, vantageId: telecom[0]?.id ?? '' }];
    await updateIncident(id, { action: 'split', cells, note: '' }, 'somebody', later(11));
    const records = await getPrisma().incident.findMany({ where: { id: { not: other } }, orderBy: { id: 'asc' } });
    // The new one is explained by its own series at once.
    expect(records).toMatchObject([
      { id, counterfactual: null, explanation: null },
      { counterfactual: null, explanation: { series: 1 } },
    ]);
  });

  it('is null of shares and of what is about no time', async () => {
    await measure();
    const { id } = await detect(10);
    const read = async (data: object) => {
      await getPrisma().incident.update({ where: { id }, data });
      return (await getIncident(id)).counterfactual;
    };
    expect(await read({ metric: 'refused' })).toBeNull();
    expect(await read({ metric: 'tls' })).not.toBeNull();
    expect(await read({ kind: 'down' })).toBeNull();
  });
});
