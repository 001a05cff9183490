import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GroupChange, GroupId } from '#analysis/detection/detection.ts';
import { SilenceCreate } from '#contract/silence.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { groupKey } from '#server/incidents/detected.ts';
import { getIncident, listIncidents } from '#server/incidents/incidents.ts';
import { joinReachability } from '#server/incidents/reachability.ts';
import { createSilence } from '#server/incidents/silences.ts';
import { sweepIncidents } from '#server/incidents/sweep.ts';
import { GROWTH_LONGEST_MS, GROWTH_PAUSE_MS } from '#server/incidents/update-timing.ts';
import { evaluateFastRules } from '#server/rules/evaluate.ts';
import { rulesOf } from '#server/rules/rules.ts';
import { textOf } from '#server/webhooks/text.ts';
import { makeWebhook, pump, statesOf, TestClock } from '../support/deliveries.ts';
import { makeDetection, makeEnd, record } from '../support/detections.ts';
import { fail, insertRolledUp, REFUSED } from '../support/minutes.ts';
import { prepareOutbox } from '../support/outbox.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { jsonReply, type Received, type Reply } from '../support/receiver.ts';
import { makeVantage } from '../support/vantages.ts';

// When an incident is told of while it grows, and that all that is told of it stays in one thread, ticket or alert.

const NOON = new Date('2026-11-20T12:00:00Z');
const since = (ms: number) => new Date(NOON.getTime() + ms);
const REGIONS = ['BJ', 'TJ', 'HE', 'SX', 'NM', 'LN', 'JL', 'HL', 'SH', 'JS', 'ZJ', 'AH'];
const vantages = REGIONS.map((region) => makeVantage(`CN-${region}`, 'telecom'));

const { receive } = prepareOutbox();
let targetId: string;
beforeAll(() => insertProber(vantages));
beforeEach(async () => {
  await getPool().query('truncate incident, incident_event, detection, delivery cascade');
  await getPool().query('delete from "check"');
  targetId = await insertTarget();
  await assignAll();
});

const OF_TARGET = (): GroupId => ({ cause: 'server', target: targetId, changeAt: NOON.getTime() / 1_000 });
const OF_CARRIER: GroupId = { cause: 'network', country: 'CN', carrier: 'telecom', changeAt: NOON.getTime() / 1_000 };
type Found = { kind?: 'spike' | 'regression'; group?: GroupId; vantageIds?: number[] };

/** What is found at so many vantages, `ms` after noon. */
function findAt(ms: number, [from, to]: [number, number], { kind = 'spike', group = OF_TARGET() }: Found = {}) {
  return vantages.slice(from, to).map((vantage) => {
    const { cause } = group;
    return makeDetection({ targetId, vantage, at: since(ms), changeAt: NOON, cause, group: groupKey(group), kind });
  });
}
const causeChange = (ms: number): Extract<GroupChange, { kind: 'cause' }> => ({
  kind: 'cause',
  at: since(ms).getTime() / 1_000,
  group: OF_TARGET(),
  cause: 'network',
  scope: { country: 'CN', carrier: 'telecom' },
});

async function told() {
  const rows = await getPrisma().delivery.findMany({ orderBy: { sequence: 'asc' } });
  return rows.map(({ eventType, payload }) => {
    const { data } = payload as { data: { affected: { series: number }; cause: string } };
    return `${eventType} ${data.affected.series} ${data.cause}`;
  });
}

describe('an incident that grows', () => {
  beforeEach(async () => {
    await makeWebhook({ url: 'https://hook.example.org/' });
  });

  it('is told of once it has not grown for 20 seconds, with all of its series', async () => {
    await record(findAt(0, [0, 2]), [], since(0));
    await record(findAt(10_000, [2, 5]), [], since(10_000));
    await sweepIncidents(since(GROWTH_PAUSE_MS));
    expect(await told()).toEqual([]);
    await sweepIncidents(since(10_000 + GROWTH_PAUSE_MS));
    expect(await told()).toEqual(['tls.spike.opened 5 server']);
    await sweepIncidents(since(10 * GROWTH_LONGEST_MS));
    expect(await told()).toHaveLength(1);
  });

  it('is told of a minute after it opened, however it goes on growing', async () => {
    for (let place = 0; place < 6; place++) {
      const ms = place * 11_000;
      await record(findAt(ms, [place, place + 1]), [], since(ms));
      await sweepIncidents(since(ms));
    }
    expect(await told()).toEqual([]);
    await sweepIncidents(since(GROWTH_LONGEST_MS));
    expect(await told()).toEqual(['tls.spike.opened 6 server']);
  });

  it('is told of at once where every series is in it already', async () => {
    await record(findAt(0, [0, REGIONS.length]), [], since(0));
    expect(await told()).toEqual([`tls.spike.opened ${REGIONS.length} server`]);
  });

  it('is told of again when it has three times as many series, and not before', async ({ onTestFinished }) => {
    // As grave as it can be from the first: a severity that rises is told of, too.
    const grave = (severity: string) =>
      getPool().query(`update alert_rule set severity = $1 where kind = 'detector'`, [severity]);
    await grave('critical');
    onTestFinished(async () => void (await grave('warning')));
    await record(findAt(0, [0, 2]), [], since(0));
    await sweepIncidents(since(GROWTH_PAUSE_MS));
    await record(findAt(100_000, [2, 5]), [], since(100_000));
    await sweepIncidents(since(200_000));
    expect(await told()).toHaveLength(1);
    await record(findAt(300_000, [5, 7]), [], since(300_000));
    expect(await told()).toHaveLength(1);
    await sweepIncidents(since(300_000 + GROWTH_PAUSE_MS));
    expect(await told()).toEqual(['tls.spike.opened 2 server', 'tls.spike.updated 7 server']);
  });

  it('says one thing of a cause that changes before it is told of, and nothing of one that changes back', async () => {
    await record(findAt(0, [0, 2]), [], since(0));
    await record(findAt(5_000, [2, 3]), [], since(5_000), [causeChange(5_000)]);
    await sweepIncidents(since(5_000 + GROWTH_PAUSE_MS));
    expect(await told()).toEqual(['tls.spike.opened 3 network']);
    const back: GroupChange = { ...causeChange(60_000), cause: 'server', scope: { target: targetId } };
    await record([], [], since(60_000), [back]);
    await record([], [], since(65_000), [causeChange(65_000)]);
    await sweepIncidents(since(200_000));
    expect(await told()).toHaveLength(1);
    await record([], [], since(300_000), [back]);
    await sweepIncidents(since(300_000 + GROWTH_PAUSE_MS));
    expect(await told()).toEqual(['tls.spike.opened 3 network', 'tls.spike.updated 3 server']);
  });

  it('ends without waiting for a correction', async () => {
    await record(findAt(0, [0, REGIONS.length]), [], since(0));
    await record([], [], since(60_000), [causeChange(60_000)]);
    const { id } = await getPrisma().incident.findFirstOrThrow();
    await updateIncident(id, { action: 'resolve', note: '' }, 'operator');
    expect((await told()).map((each) => each.split(' ')[0])).toEqual(['tls.spike.opened', 'tls.spike.resolved']);
  });
});

/** A spike at two series, which becomes lasting, and part of a larger one: all that can be told of two incidents. */
async function liveThroughAll(): Promise<{ ours: string; into: string }> {
  await record(findAt(0, [0, 2]), [], since(0));
  await sweepIncidents(since(GROWTH_PAUSE_MS));
  const { id: ours } = await getPrisma().incident.findFirstOrThrow();
  await record(findAt(60_000, [2, 6]), [], since(60_000));
  await sweepIncidents(since(60_000 + GROWTH_PAUSE_MS));
  await record(findAt(120_000, [0, 2], { kind: 'regression' }), [], since(120_000));
  await record(findAt(180_000, [6, 12], { group: OF_CARRIER }), [], since(180_000));
  await sweepIncidents(since(180_000 + GROWTH_PAUSE_MS));
  const { id: into } = await getPrisma().incident.findFirstOrThrow({ where: { id: { not: ours } } });
  const merge: GroupChange = {
    kind: 'merge',
    at: since(240_000).getTime() / 1_000,
    group: OF_TARGET(),
    into: OF_CARRIER,
  };
  await record([], [], since(240_000), [merge]);
  await sweepIncidents(since(240_000 + GROWTH_PAUSE_MS));
  return { ours, into };
}
const clock = () => new TestClock(since(3_600_000).toISOString());

describe('all that is told of an incident', () => {
  it('has its id as the key at PagerDuty, where the one that was merged is closed', async () => {
    const receiver = await receive(() => ({ ...jsonReply({ status: 'success' }), status: 202 }));
    const webhook = await makeWebhook({ format: 'pagerduty', url: receiver.url, secret: 'R'.repeat(32) });
    const { ours, into } = await liveThroughAll();
    await pump(clock());
    expect(await statesOf(webhook.id)).toEqual({ delivered: 6 });
    const events = receiver.received.map(({ body }) => JSON.parse(body));
    expect(new Set(events.map(({ dedup_key }) => dedup_key))).toEqual(new Set([ours, into]));
    const of = (id: string) => events.filter(({ dedup_key }) => dedup_key === id);
    expect(of(ours).map(({ event_action, payload }) => `${event_action} ${payload.class}`)).toEqual([
      'trigger tls.spike.opened',
      'trigger tls.spike.updated',
      'trigger tls.regression.opened',
      'resolve tls.regression.resolved',
    ]);
    expect(of(ours).at(-1).payload.custom_details).toMatchObject({ resolution: 'merged', mergedInto: into });
    expect(of(into).map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger']);
  });

  it('has the same labels at Alertmanager but for its severity, from a spike that became lasting to its end', async () => {
    const receiver = await receive();
    await makeWebhook({ format: 'alertmanager', url: receiver.url });
    const { ours } = await liveThroughAll();
    await pump(clock());
    const alerts = receiver.received
      .flatMap(({ body }) => JSON.parse(body))
      .filter(({ labels }) => labels.incident === ours);
    // It rises once: the alert of the former severity ends with the message that says so, and is not sent again.
    const severities = alerts.map(({ labels }) => labels.severity);
    expect(severities).toEqual(['warning', 'critical', 'warning', 'critical', 'critical']);
    expect(new Set(alerts.map(({ labels }) => JSON.stringify({ ...labels, severity: '' }))).size).toBe(1);
    for (const severity of ['warning', 'critical'])
      expect(Date.parse(alerts.findLast(({ labels }) => labels.severity === severity).endsAt)).toBeLessThanOrEqual(
        since(3_600_000).getTime(),
      );
  });

  it('is one thread at Slack, whose last message says where it goes on', async () => {
    /** docs.slack.dev, chat.postMessage: 200, and `ok` or the error in the body; `ts` names the message. */
    const slackAnswer = ({ body, headers }: Received): Reply => {
      const { channel, text, thread_ts } = JSON.parse(body);
      if (headers.authorization !== 'Bearer xoxb-1-a') return jsonReply({ ok: false, error: 'invalid_auth' });
      if (channel !== 'C012345' || !text) return jsonReply({ ok: false, error: 'channel_not_found' });
      if (thread_ts && !/^\d+\.\d+$/.test(thread_ts)) return jsonReply({ ok: false, error: 'invalid_thread_ts' });
      return jsonReply({ ok: true, channel, ts: `${receiver.received.length}.000100`, message: { text } });
    };
    const receiver = await receive(slackAnswer);
    const url = `${receiver.url}/api/chat.postMessage?channel=C012345`;
    const webhook = await makeWebhook({ format: 'slack', url, secret: 'xoxb-1-a' });
    const refused = await makeWebhook({ format: 'slack', url, secret: 'xoxb-none' });
    const { into } = await liveThroughAll();
    await pump(clock());
    expect(await statesOf(webhook.id)).toEqual({ delivered: 6 });
    const ours = receiver.received
      .filter(({ headers }) => headers.authorization === 'Bearer xoxb-1-a')
      .map(({ body }) => JSON.parse(body));
    const began = ours.filter(({ thread_ts }) => thread_ts === undefined);
    expect(began).toHaveLength(2);
    const threads = Map.groupBy(ours, ({ thread_ts }) => thread_ts ?? 'none');
    expect([...threads.values()].map(({ length }) => length).sort()).toEqual([1, 2, 3]);
    const [longest] = [...threads.values()].filter(({ length }) => length === 3);
    expect(longest?.at(-1)?.attachments[0].blocks[0].text.text).toContain(into);
    expect(await statesOf(refused.id)).toMatchObject({ pending: 6 });
  });
});

describe('an outage of a target with one vantage', () => {
  const MINUTE = 60_000;
  const [vantage = makeVantage('CN-BJ', 'telecom')] = vantages;
  const at = (minutes: number) => since(minutes * MINUTE);
  const measured = (from: number, to: number, isFailing: boolean) =>
    insertRolledUp({
      targetId,
      vantages: [vantage],
      from: at(from).getTime(),
      count: to - from,
      change: (result) => isFailing && fail(result, REFUSED),
    });
  const failures = (minutes: number, group: string) => {
    const levels = { metric: 'failures' as const, beforeMs: 0, afterMs: 1 };
    return makeDetection({ targetId, vantage, at: at(minutes), changeAt: at(minutes - 2), group, ...levels });
  };
  const judge = async (minutes: number) => {
    await evaluateFastRules(at(minutes), since(-86_400_000));
    await joinReachability(at(minutes));
    await sweepIncidents(at(minutes));
  };
  /** From the first failures to the detector's own word that they are over. */
  async function liveThroughOutage(): Promise<void> {
    await getPool().query('delete from "check" where vantage_id <> $1', [vantage.id]);
    await getPool().query('update target set deleted_at = $2 where id <> $1', [targetId, at(-60)]);
    await measured(-30, 0, false);
    await measured(0, 15, true);
    const spike = failures(2, 'a');
    await record([spike], [], at(2));
    for (const minutes of [3, 6, 10]) await judge(minutes);
    await record([failures(11, 'b')], [], at(11));
    await judge(15);
    await measured(15, 30, false);
    await judge(30);
    await record([], [{ ...makeEnd(spike, vantage, at(46)), metric: 'failures' }], at(46));
    await judge(47);
  }
  const messagesOf = (received: Received[], key: string) =>
    received
      .map(({ body }) => JSON.parse(body))
      .filter(({ routing_key }) => routing_key === key)
      .map(({ event_action, dedup_key, payload }) => `${event_action} ${payload.class} ${dedup_key}`);

  it('is one incident under one key, which grows from a spike to down and ends once', async () => {
    const receiver = await receive(() => ({ ...jsonReply({ status: 'success' }), status: 202 }));
    await makeWebhook({ format: 'pagerduty', url: receiver.url, secret: 'R'.repeat(32) });
    await liveThroughOutage();
    await pump(clock());
    const { data } = await listIncidents({ limit: 10 });
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ kind: 'down', state: 'resolved', resolution: 'recovered', severity: 'critical' });
    const id = data[0]?.id ?? '';
    expect(await getPrisma().incident.count()).toBe(1);
    expect(messagesOf(receiver.received, 'R'.repeat(32))).toEqual([
      `trigger tls.spike.opened ${id}`,
      `trigger target.down ${id}`,
      `resolve target.recovered ${id}`,
    ]);
    const { events, evidence } = await getIncident(id);
    expect(evidence).toMatchObject({ openedAs: 'spike', vantagesDown: 1, vantagesMeasured: 1 });
    expect(events.find(({ kind }) => kind === 'escalated')?.params).toEqual({ from: 'spike', to: 'down' });
    const [, grown] = receiver.received.map(({ body }) => JSON.parse(body).payload.custom_details);
    const lines = textOf({ type: 'target.down', timestamp: at(6).toISOString(), data: grown }, 'en').lines;
    expect(lines).toContain('Began as: Spike');
  });

  it('is a target that is down alone for who heard of no spike', async ({ onTestFinished }) => {
    const receiver = await receive();
    await makeWebhook({ format: 'alertmanager', url: receiver.url });
    const [startsAt, endsAt] = [at(-60).toISOString(), at(5).toISOString()];
    await createSilence(SilenceCreate.parse({ comment: 'until it is down', startsAt, endsAt }), 'operator');
    onTestFinished(async () => void (await getPool().query('delete from silence')));
    await liveThroughOutage();
    await pump(clock());
    expect(await told()).toHaveLength(2);
    const alerts = receiver.received.flatMap(({ body }) => JSON.parse(body));
    expect(new Set(alerts.map(({ labels }) => labels.alertname))).toEqual(new Set(['RoundtripTargetDown']));
    expect((await listIncidents({ limit: 10 })).data[0]?.evidence.openedAs).toBeUndefined();
  });

  it('has the name of its first message at Alertmanager, whatever that was', async () => {
    const receiver = await receive();
    const events = ['target.down', 'target.recovered'] as const;
    await makeWebhook({ format: 'alertmanager', url: `${receiver.url}/all` });
    await makeWebhook({ format: 'alertmanager', url: `${receiver.url}/down`, events: [...events] });
    await liveThroughOutage();
    await pump(clock());
    const names = (path: string) => {
      const own = receiver.received.filter(({ url }) => url.includes(path));
      return [...new Set(own.flatMap(({ body }) => JSON.parse(body)).map(({ labels }) => labels.alertname))];
    };
    expect([names('/all'), names('/down')]).toEqual([['RoundtripSpike'], ['RoundtripTargetDown']]);
  });

  it('is over for who hears of its beginning alone: of one rule, one severity or spikes', async () => {
    const receiver = await receive(() => ({ ...jsonReply({ status: 'success' }), status: 202 }));
    const [rule] = await rulesOf(getPrisma(), 'detector');
    const listen = (letter: string, filter: Parameters<typeof makeWebhook>[0]) =>
      makeWebhook({ format: 'pagerduty', url: receiver.url, secret: letter.repeat(32), ...filter });
    await listen('A', { ruleIds: [rule?.id ?? ''] });
    await listen('B', { severities: ['warning'] });
    await listen('C', { events: ['tls.spike.opened', 'tls.spike.resolved'] });
    await listen('D', { events: ['tls.spike.opened', 'tls.regression.resolved'] });
    await listen('E', { events: ['tls.regression.opened', 'tls.spike.resolved'] });
    await liveThroughOutage();
    await pump(clock());
    const actions = ['A', 'B', 'C', 'D', 'E'].map((letter) =>
      messagesOf(receiver.received, letter.repeat(32)).map((each) => each.split(' ').slice(0, 2).join(' ')),
    );
    const both = ['trigger tls.spike.opened', 'resolve target.recovered'];
    expect(actions).toEqual([both, both, both, ['trigger tls.spike.opened'], []]);
  });
});
