import { describe, expect, it } from 'vitest';
import type { Cause } from '#contract/explanation.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { sealDays } from '#server/blocks/seal.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { reviseExplanations } from '#server/incidents/explain.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { textOf } from '#server/webhooks/text.ts';
import { ON_CLUSTER } from '../support/citus/cluster.ts';
import { makeDetection, record } from '../support/detections.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { insertMinutes } from '../support/minutes.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const ONSET = new Date('2026-11-20T12:00:00Z');
const later = (minutes: number) => new Date(ONSET.getTime() + minutes * MINUTE);
const seconds = (minutes: number) => later(minutes).getTime() / 1_000;
const vantages = ['telecom', 'unicom'].flatMap((carrier) =>
  ['CN-BJ', 'CN-GD', 'CN-HB', 'CN-SH'].map((region) => makeVantage(region, carrier)),
);
const [telecom, unicom] = [vantages.slice(0, 4), vantages.slice(4)];

let targetId: string;
incidentScene({ vantages, begin: (id) => (targetId = id) });

const tlsOf = ({ tls }: StorableResult) => {
  if (!tls) throw new Error('the made result has TLS');
  return tls;
};
/** Another round trip of 29 ms in the handshake. */
const retried = (result: StorableResult) => {
  const tls = tlsOf(result);
  tls.helloRetry = true;
  Object.assign(tls.handshake, { roundTrips: 2, expectedRoundTrips: 2 });
  Object.assign(result.phases, { tls: (result.phases.tls ?? 0) + (result.network.rttMs ?? 0) });
};
/** A path that is longer by so much, ms. */
const farther = (ms: number) => (result: StorableResult) => {
  for (const phase of ['tcp', 'tls', 'firstByte'] as const)
    Object.assign(result.phases, { [phase]: (result.phases[phase] ?? 0) + ms });
  const { rttMs, minRttMs } = result.network;
  Object.assign(result.network, { rttMs: (rttMs ?? 0) + ms, minRttMs: (minRttMs ?? 0) + ms });
};

/** Results a minute of all vantages for an hour before the onset, and for `after` minutes since, these changed. */
async function measure(
  change: (result: StorableResult, vantage: VantageRef) => void,
  { after = 10, before = 60 } = {},
) {
  await insertMinutes({
    targetId,
    vantages,
    from: ONSET.getTime() - before * MINUTE,
    count: before + after,
    change: (result, vantage, index) => {
      if (index >= before) change(result, vantage);
    },
  });
}

/** The incident after the detector has found spikes at these vantages, of a cause as it thinks, after so many minutes; its id. */
async function detect(at: VantageRef[], cause: Cause, minutes = 5): Promise<string> {
  const made = at.map((vantage) => makeDetection({ targetId, vantage, at: later(minutes), changeAt: ONSET, cause }));
  await record(made, [], later(minutes));
  const { id } = await getPrisma().incident.findFirstOrThrow({ orderBy: { id: 'desc' } });
  return id;
}

const messages = async () => await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });

describe('an incident that opens', () => {
  it('has the cause that its results measured, not that of the phases, and says so in its first message', async () => {
    await measure(retried);
    const { cause, explanation, events, effectMs } = await getIncident(await detect(telecom, 'server'));
    expect(cause).toBe('tls');
    expect(explanation).toMatchObject({ metric: 'tls', cause: 'tls', detected: 'server', series: 4 });
    expect(explanation?.parts[0]).toMatchObject({ code: 'hello_retry' });
    expect(explanation?.parts[0]?.share).toBeGreaterThan(0.95);
    expect(explanation?.roundTrips).toEqual({ before: 1, after: 2 });
    // An incident has one effect: its parts are those of the one that is shown, whatever the compared results came to.
    expect([effectMs, explanation?.excessMs]).toEqual([100, 100]);
    expect(explanation?.parts.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(100, 6);
    expect(explanation?.parts.every(({ ms }) => ms > 0)).toBe(true);
    expect(events.filter(({ kind }) => kind === 'cause_changed')).toEqual([]);
    const [message, ...more] = await messages();
    expect(more).toEqual([]);
    const payload = message?.payload as Record<string, unknown>;
    expect(JSON.stringify(payload)).toContain('hello_retry');
    const data = (payload.data ?? payload) as Record<string, unknown>;
    const { lines } = textOf({ type: 'tls.spike.opened', timestamp: ONSET.toISOString(), data }, 'en');
    expect(lines).toContain('Of +100 ms: 100 ms HelloRetryRequests.');
  });

  it('says where it is: one carrier, while others of the same target are as usual', async () => {
    await measure((result, vantage) => {
      if (vantage.carrier === 'unicom') farther(40)(result);
    });
    const { cause, explanation } = await getIncident(await detect(unicom, 'server'));
    expect(cause).toBe('network');
    expect(explanation?.where).toEqual({
      fixed: [{ dimension: 'carrier', values: ['unicom'] }],
      explains: 1,
      spared: [{ dimension: 'carrier', values: ['telecom'] }],
    });
  });

  it('takes no lost SYN for a long path where the kernel tells nothing of a connection', async () => {
    const untold = { rttMs: null, minRttMs: null, retransmits: null, synRetransmits: null, outOfOrder: null };
    await insertMinutes({
      targetId,
      vantages: telecom,
      from: ONSET.getTime() - 60 * MINUTE,
      count: 70,
      change: (result, _vantage, index) => {
        if (index >= 60) farther(40)(result);
        if (index >= 60 && index % 3 === 0) Object.assign(result.phases, { tcp: 1_000 + (result.phases.tcp ?? 0) });
        Object.assign(result.network, untold);
      },
    });
    const { cause, explanation } = await getIncident(await detect(telecom, 'network'));
    expect(cause).toBe('network');
    const [path, ...rest] = explanation?.parts ?? [];
    expect(path).toMatchObject({ code: 'path', share: expect.closeTo(1, 1) });
    expect(rest.filter(({ share }) => share > 0.03)).toEqual([]);
  });

  it('says where it is: one address of two', async () => {
    await insertMinutes({
      targetId,
      vantages,
      from: ONSET.getTime() - 60 * MINUTE,
      count: 70,
      change: (result, _vantage, index) => {
        const slow = index % 4 < 2;
        Object.assign(result.network, { peerAddress: slow ? '192.0.2.7' : '192.0.2.8' });
        if (slow && index >= 60) retried(result);
      },
    });
    const { explanation } = await getIncident(await detect(vantages, 'server'));
    expect(explanation?.where).toMatchObject({
      fixed: [{ dimension: 'peerAddress', values: ['192.0.2.7'] }],
      spared: [{ dimension: 'peerAddress', values: ['192.0.2.8'] }],
    });
  });

  it('of refused sessions is one of the handshake, however long the paths of the few results beside them were', async () => {
    await insertMinutes({
      targetId,
      vantages: telecom,
      from: ONSET.getTime() - 60 * MINUTE,
      count: 66,
      change: (result, _vantage, index) => {
        const refused = index >= 60;
        Object.assign(result, { variant: 'resumed' });
        Object.assign(tlsOf(result), { resumed: !refused });
        if (refused) farther(40)(result);
      },
    });
    const made = telecom.map((vantage) => {
      const found = { targetId, vantage, at: later(5), changeAt: ONSET, metric: 'refused', cause: 'tls' } as const;
      const detection = makeDetection({ ...found, beforeMs: 0, afterMs: 1 });
      return { ...detection, cell: { ...detection.cell, variant: 'resumed' as const } };
    });
    await record(made, [], later(5));
    const { id } = await getPrisma().incident.findFirstOrThrow();
    const { cause, subCause, explanation } = await getIncident(id);
    expect(explanation?.parts[0]).toMatchObject({ code: 'path' });
    expect({ cause, subCause }).toEqual({ cause: 'tls', subCause: 'resumption' });
  });

  it('keeps the detector’s word where results do not tell their round trips', async () => {
    await measure((result) => Object.assign(result.phases, { tls: (result.phases.tls ?? 0) + 60 }), { after: 10 });
    await getPool().query(
      'update result set round_trips = null, expected_round_trips = null, rtt_us = null, min_rtt_us = null where target_id = $1',
      [targetId],
    );
    expect(await getIncident(await detect(telecom, 'server'))).toMatchObject({ cause: 'server', explanation: null });
  });

  it.skipIf(ON_CLUSTER)('is explained by sealed results as by those that are not', async () => {
    await measure(retried);
    const { explanation } = await getIncident(await detect(telecom, 'server'));
    await getPool().query('truncate incident, incident_event, detection, delivery cascade');
    await sealDays(ONSET.getTime() + 3 * 86_400_000);
    const { rows } = await getPool().query('select 1 from result where target_id = $1 limit 1', [targetId]);
    expect(rows).toEqual([]);
    expect((await getIncident(await detect(telecom, 'server'))).explanation).toEqual(explanation);
  });
});

describe('an incident that grows', () => {
  it('is explained anew, and who was told another cause is told of the new one, once', async () => {
    await measure(retried, { after: 0 });
    const id = await detect(telecom, 'server', 1);
    expect(await getIncident(id)).toMatchObject({ cause: 'server', explanation: null });
    await insertMinutes({ targetId, vantages, from: ONSET.getTime(), count: 6, change: retried });
    await reviseExplanations({ before: seconds(2), position: seconds(3) }, later(4));
    await reviseExplanations({ before: seconds(3), position: seconds(4) }, later(5));
    await sweepIncidents(later(6));
    const { cause, explanation, events } = await getIncident(id);
    expect(cause).toBe('tls');
    expect(explanation).toMatchObject({ at: later(4).toISOString(), detected: 'server' });
    const changed = events.filter(({ kind }) => kind === 'cause_changed');
    expect(changed).toHaveLength(1);
    expect(changed[0]).toMatchObject({ params: { from: 'server', to: 'tls', parts: [{ code: 'hello_retry' }] } });
    await sweepIncidents(later(8));
    expect((await messages()).map(({ eventType }) => eventType)).toEqual(['tls.spike.opened', 'tls.spike.updated']);
  });

  it('is explained each minute while it is young, then each quarter of an hour, each hour, and no more after a day', async () => {
    await measure(retried);
    const id = await detect(telecom, 'server');
    const explainedAt = async (before: number, position: number) => {
      await reviseExplanations({ before: seconds(before), position: seconds(position) }, later(position));
      return (await getIncident(id)).explanation?.at === later(position).toISOString();
    };
    expect(await explainedAt(6, 7)).toBe(true);
    expect(await explainedAt(19, 20)).toBe(true);
    expect(await explainedAt(21, 22)).toBe(false);
    expect(await explainedAt(34, 35)).toBe(true);
    expect(await explainedAt(200, 201)).toBe(false);
    expect(await explainedAt(244, 245)).toBe(true);
    expect(await explainedAt(24 * 60 + 4, 24 * 60 + 66)).toBe(false);
  });

  it('does not wait for failures, which are about no time', async () => {
    await measure(retried);
    const id = await detect(telecom, 'server');
    for (let n = 0; n < 11; n++) {
      const [vantage] = telecom as [VantageRef];
      const at = { targetId: await insertTarget(), vantage, at: later(6), changeAt: ONSET, group: `${n}` };
      await record([makeDetection({ ...at, metric: 'failures', beforeMs: 0, afterMs: 1 })], [], later(6));
    }
    await reviseExplanations({ before: seconds(6), position: seconds(7) }, later(7));
    expect((await getIncident(id)).explanation?.at).toBe(later(7).toISOString());
  });

  it('is explained once more when it is over, however many are over within a minute and cannot be explained', {
    timeout: 120_000,
  }, async () => {
    const [vantage] = telecom as [VantageRef];
    const targets = [targetId, await insertTarget({ name: 'another' })];
    const others = await Promise.all(Array.from({ length: 21 }, (_, n) => insertTarget({ name: `not measured ${n}` })));
    const change = (result: StorableResult, _: VantageRef, index: number) => void (index >= 10 && retried(result));
    for (const each of targets)
      await insertMinutes({
        targetId: each,
        vantages: [vantage],
        from: ONSET.getTime() - 10 * MINUTE,
        count: 15,
        change,
      });
    const at = { vantage, at: later(5), changeAt: ONSET };
    await record(
      [...others, ...targets].map((each) => makeDetection({ ...at, targetId: each })),
      [],
      later(5),
    );
    const over = "status = 'resolved', resolution = 'recovered', resolved_at = $1, explanation = null";
    await getPool().query(`update incident set ${over}`, [later(40)]);
    const explained = async () => {
      const rows = await getPrisma().incident.findMany({ where: { targetId: { in: targets } } });
      return rows.filter(({ explanation }) => {
        const at = (explanation as { at?: string } | null)?.at;
        return at !== undefined && Date.parse(at) >= later(40).getTime();
      }).length;
    };
    for (let minute = 41; minute < 44; minute++)
      await reviseExplanations({ before: seconds(minute - 1), position: seconds(minute) }, later(minute));
    expect(await explained()).toBe(2);
  });

  it('waits for the next turn where more than ten are due', async () => {
    const [vantage] = telecom as [VantageRef];
    for (let n = 0; n < 12; n++) {
      targetId = await insertTarget({ name: `shop ${n}` });
      const from = ONSET.getTime() - 10 * MINUTE;
      const change = (result: StorableResult, _: VantageRef, index: number) => void (index >= 10 && retried(result));
      await insertMinutes({ targetId, vantages: [vantage], from, count: 15, change });
      await detect([vantage], 'server');
    }
    await getPool().query('update incident set explanation = null');
    const count = async () => {
      const { rows } = await getPool().query('select count(*)::int as n from incident where explanation is not null');
      return rows[0]?.n;
    };
    await reviseExplanations({ before: seconds(6), position: seconds(7) }, later(7));
    expect(await count()).toBe(10);
    await reviseExplanations({ before: seconds(7), position: seconds(8) }, later(8));
    expect(await count()).toBe(12);
  });
});
