import { v7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StorableResult } from '#contract/result.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { updateIncident } from '#server/incidents/by-hand.ts';
import { getIncident, listIncidents } from '#server/incidents/incidents.ts';
import { joinReachability } from '#server/incidents/reachability.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { openIncidentsOf, targetMarksSince } from '#server/incidents/target-incidents.ts';
import { applyRule, evaluateFastRules, evaluateSlowRules } from '#server/rules/evaluate.ts';
import { createAlertRule, deleteAlertRule, rulesOf, updateAlertRule } from '#server/rules/rules.ts';
import { textOf } from '#server/webhooks/text.ts';
import { makeDetection, record } from '../support/detections.ts';
import { WEDNESDAY } from '../support/instants.ts';
import { fail, insertRolledUp, REFUSED } from '../support/minutes.ts';
import { assignAll, insertTarget } from '../support/places.ts';
import { prepareTestDatabase } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const vantages = ['CN-BJ', 'CN-GD', 'CN-HB', 'CN-SH'].map((region) => makeVantage(region, 'unicom'));
const NOW = WEDNESDAY;
const LONG_AGO = new Date(NOW - 86_400_000);

let targetId: string;
prepareTestDatabase(vantages);
beforeEach(async () => {
  await getPool().query('truncate incident, incident_event, delivery cascade');
  await getPool().query('update target set deleted_at = $1', [LONG_AGO]);
  await getPool().query('update prober set created_at = $1', [LONG_AGO]);
  targetId = await insertTarget();
  await getPool().query('update target set updated_at = $1 where id = $2', [LONG_AGO, targetId]);
});

/** Results of these vantages in the ten minutes, or the last `count`, before NOW + `offset` minutes, one a minute, and their rollups. */
async function measure(
  places: typeof vantages,
  change: (result: StorableResult) => void = () => {},
  offset = 0,
  count = 10,
): Promise<void> {
  await insertRolledUp({ targetId, vantages: places, from: NOW + (offset - count) * MINUTE, count, change });
}

const failing = (result: StorableResult) => fail(result, REFUSED);

async function incidents(kind: string) {
  return await getPrisma().incident.findMany({ where: { kind }, orderBy: { id: 'asc' } });
}

const fast = (offset = 0, upSince = LONG_AGO) => evaluateFastRules(new Date(NOW + offset * MINUTE), upSince);

describe('a target', () => {
  it('is down where at least half of its vantages see nothing but failures, and recovers', async () => {
    await measure(vantages.slice(0, 2), failing);
    await measure(vantages.slice(2));
    await fast();
    await fast();
    const [incident, ...others] = await incidents('down');
    expect(others).toEqual([]);
    expect(incident).toMatchObject({
      status: 'open',
      severity: 'critical',
      targetId,
      evidence: { vantagesDown: 2, vantagesMeasured: 4 },
    });
    const { failure } = await getIncident(String(incident?.id));
    expect(failure).toEqual({ phase: 'tcp', reason: 'tcp_refused', source: 'target', share: 1 });
    await measure(vantages, () => {}, 10);
    await fast(10);
    expect(await incidents('down')).toMatchObject([{ status: 'resolved' }]);
  });

  it('is told of with the reason, and is among the open incidents of its page and of the overview', async () => {
    await getPrisma().webhook.create({
      data: { id: v7(), name: 'all', format: 'standard', secrets: '', language: 'en', settings: {} },
    });
    await measure(vantages, failing);
    await fast();
    const [delivery] = await getPrisma().delivery.findMany({ where: { eventType: 'target.down' } });
    expect(delivery?.payload).toMatchObject({ data: { failure: { phase: 'tcp', reason: 'tcp_refused', share: 1 } } });
    const open = { kind: 'down', status: 'open', failure: { reason: 'tcp_refused' }, targetId };
    expect((await openIncidentsOf(targetId)).incidents).toMatchObject([open]);
    expect((await openIncidentsOf(targetId)).incidents[0]?.cells).toHaveLength(4);
    const marks = (await targetMarksSince(new Date(NOW))).get(targetId);
    expect(marks?.open).toMatchObject([open]);
    await getPool().query(`update incident set status = 'resolved'`);
    expect((await openIncidentsOf(targetId)).incidents).toEqual([]);
  });

  it('is not down where a single vantage of four fails', async () => {
    await measure(vantages.slice(0, 1), failing);
    await measure(vantages.slice(1));
    await fast();
    expect(await incidents('down')).toEqual([]);
  });

  it('with one vantage alone is down where that fails', async () => {
    await measure(vantages.slice(0, 1), failing);
    await fast();
    expect(await incidents('down')).toHaveLength(1);
  });

  it('is not down by one result of each vantage, but by two', async () => {
    await measure(vantages, failing, 0, 1);
    await fast();
    expect(await incidents('down')).toEqual([]);
    await measure(vantages, failing, -1, 1);
    await fast();
    expect(await incidents('down')).toHaveLength(1);
  });

  it('that is deleted has no open incident any more', async () => {
    await measure(vantages, failing);
    await fast();
    await getPool().query('update target set deleted_at = $1 where id = $2', [new Date(NOW), targetId]);
    await fast();
    expect(await incidents('down')).toMatchObject([{ status: 'resolved' }]);
  });
});

describe('a threshold', () => {
  it('opens where enough vantages are past it, each by itself, and never on their average', async () => {
    const rule = await createAlertRule({ ...THRESHOLD, minCells: 2 });
    const slow = (result: StorableResult) => {
      result.phases.tls = 400;
    };
    await measure(vantages.slice(0, 1), slow);
    await measure(vantages.slice(2));
    await fast(1);
    expect(await incidents('threshold')).toEqual([]);
    await measure(vantages.slice(1, 2), slow);
    await fast(1);
    const [incident] = await incidents('threshold');
    expect(incident).toMatchObject({ ruleId: rule.id, metric: 'tls', status: 'open', carrier: 'unicom', region: null });
    expect(incident?.cells).toMatchObject([
      { region: 'CN-BJ', beforeMs: 300 },
      { region: 'CN-GD', beforeMs: 300 },
    ]);
    await deleteAlertRule(rule.id);
    expect(await incidents('threshold')).toMatchObject([{ status: 'resolved' }]);
  });

  it('is not judged by fewer results than the rule asks for', async () => {
    const rule = await createAlertRule(THRESHOLD);
    const slow = (result: StorableResult) => {
      result.phases.tls = 400;
    };
    await measure(vantages.slice(0, 1), slow, 0, 4);
    await fast(1);
    expect(await incidents('threshold')).toEqual([]);
    await measure(vantages.slice(0, 1), slow, -4, 1);
    await fast(1);
    expect(await incidents('threshold')).toHaveLength(1);
    await deleteAlertRule(rule.id);
  });

  it('that a person accepted stays so as long as it goes on, and opens anew after it was within its limit', async () => {
    const rule = await createAlertRule(THRESHOLD);
    const slow = (result: StorableResult) => {
      result.phases.tls = 400;
    };
    await measure(vantages, slow);
    await fast(1);
    const [opened] = await incidents('threshold');
    const accepted = await updateIncident(
      String(opened?.id),
      { action: 'accept', note: '' },
      'Li',
      new Date(NOW + 2 * MINUTE),
    );
    expect(accepted).toMatchObject({ state: 'accepted', resolvedBy: 'Li' });
    // Also when it has gone on for longer than what ended is taken up again.
    for (const offset of [30, 120]) {
      await measure(vantages, slow, offset);
      await fast(offset + 1);
      expect(await incidents('threshold')).toMatchObject([{ resolution: 'accepted', reopened: 0 }]);
    }
    await measure(vantages, () => {}, 140);
    await fast(141);
    await measure(vantages, slow, 260);
    await fast(261);
    expect(await incidents('threshold')).toMatchObject([{ resolution: 'accepted' }, { status: 'open' }]);
    await deleteAlertRule(rule.id);
  });

  it('refuses a patch that does not fit its kind, and names the field', async () => {
    const rule = await createAlertRule(THRESHOLD);
    await expect(updateAlertRule(rule.id, { params: { above: 5, days: 3 } })).rejects.toMatchObject({
      code: 'invalid',
      fields: [{ field: 'params.days' }],
    });
    expect(await updateAlertRule(rule.id, { params: { stat: 'p50', below: 5 } })).toMatchObject({
      params: { stat: 'p50', above: null, below: 5, windowMinutes: 10 },
    });
    await deleteAlertRule(rule.id);
  });
});

const THRESHOLD = {
  kind: 'threshold' as const,
  name: 'slow',
  enabled: true,
  metric: 'tls' as const,
  params: { stat: 'p95' as const, above: 300, below: null, windowMinutes: 10, minResults: 5 },
  targetIds: [],
  regions: [],
  carriers: [],
  minCells: 1,
  severity: 'warning' as const,
  reminderMinutes: null,
};

describe('a certificate', () => {
  it('that expires within the rule’s days opens an incident, which its renewal resolves', async () => {
    const expiring = (days: number, sha256: string) => (result: StorableResult) => {
      const certificate = result.tls?.certificate;
      if (!certificate) throw new Error('the made result has a certificate');
      Object.assign(certificate, { sha256, notAfter: new Date(NOW + days * 86_400_000).toISOString() });
    };
    await measure(vantages, expiring(13, 'aa'.repeat(32)));
    await evaluateSlowRules(new Date(NOW));
    expect(await incidents('certificate')).toMatchObject([
      { status: 'open', targetId, evidence: { daysLeft: 13, sha256: 'aa'.repeat(32) } },
    ]);
    await measure(vantages, expiring(90, 'bb'.repeat(32)), 20);
    await evaluateSlowRules(new Date(NOW + 20 * MINUTE));
    expect(await incidents('certificate')).toMatchObject([{ status: 'resolved' }]);
  });
});

describe('an intermediate that ends before its leaf', () => {
  it('opens an incident of its own date, which a chain without it resolves', async () => {
    const leafUntil = 90;
    const sentBy = (days: number | null) => (result: StorableResult) => {
      const certificate = result.tls?.certificate;
      if (!certificate) throw new Error('the made result has a certificate');
      const until = (ahead: number) => new Date(NOW + ahead * 86_400_000).toISOString();
      const { subject, issuer, notBefore, keyType, keyBits } = certificate;
      const made = { subject, issuer, notBefore, keyType, keyBits, bytes: 900 };
      const leaf = { ...made, sha256: 'ab'.repeat(32), notAfter: until(leafUntil) };
      const ending = { ...made, subject: 'CN=Intermediate', sha256: 'ac'.repeat(32), notAfter: until(days ?? 0) };
      const stranger = { ...made, subject: 'CN=Old root', sha256: 'ad'.repeat(32), notAfter: until(-30) };
      const above = days === null ? [stranger] : [{ ...ending, endsFirst: true as const }, stranger];
      const sent = { certificates: [leaf, ...above], messageBytes: 3_000, problems: [] };
      Object.assign(certificate, { sha256: leaf.sha256, notAfter: leaf.notAfter, sent });
    };
    await measure(vantages, sentBy(9));
    await evaluateSlowRules(new Date(NOW));
    expect(await incidents('certificate')).toMatchObject([
      { status: 'open', targetId, evidence: { daysLeft: 9, subject: 'CN=Intermediate', sha256: 'ac'.repeat(32) } },
    ]);
    await measure(vantages, sentBy(null), 20);
    await evaluateSlowRules(new Date(NOW + 20 * MINUTE));
    expect(await incidents('certificate')).toMatchObject([{ status: 'resolved' }]);
  });
});

describe('a certificate that lives for six days', () => {
  it('is judged by a third of them, since it never has the rule’s days', async () => {
    const lived = (days: number, sha256: string) => (result: StorableResult) => {
      const instant = (offset: number) => new Date(NOW + offset * 86_400_000).toISOString();
      if (!result.tls?.certificate) throw new Error('the made result has a certificate');
      Object.assign(result.tls.certificate, { sha256, notBefore: instant(-days), notAfter: instant(6 - days) });
    };
    await measure(vantages, lived(3, 'a1'.repeat(32)));
    await evaluateSlowRules(new Date(NOW));
    expect(await incidents('certificate')).toEqual([]);
    await measure(vantages, lived(5, 'a2'.repeat(32)), 20);
    await evaluateSlowRules(new Date(NOW + 20 * MINUTE));
    expect(await incidents('certificate')).toMatchObject([{ status: 'open', evidence: { daysLeft: 0 } }]);
  });
});

describe('staples', () => {
  const stapled =
    (ocspUrl: string | null, status: 'missing' | 'good' | 'not_applicable' | 'unverified') =>
    (result: StorableResult) => {
      const { tls } = result;
      if (!tls?.certificate) throw new Error('the made result has a certificate');
      const sha256 = (ocspUrl === null ? 'cc' : 'dd').repeat(32);
      const notAfter = new Date(NOW + 90 * 86_400_000).toISOString();
      Object.assign(tls.certificate, { sha256, ocspUrl, notAfter });
      tls.staple.status = status;
    };

  it('that are seldom there open an incident where the certificate names a responder', async () => {
    await measure(vantages, stapled('http://ocsp.example.org', 'missing'));
    await evaluateSlowRules(new Date(NOW));
    expect(await incidents('staple')).toMatchObject([
      { status: 'open', evidence: { servers: [{ handshakes: 40, good: 0, hitRatio: 0 }] } },
    ]);
    await measure(vantages, stapled('http://ocsp.example.org', 'good'), 90);
    await evaluateSlowRules(new Date(NOW + 90 * MINUTE));
    expect(await incidents('staple')).toMatchObject([{ status: 'resolved' }]);
  });

  it('are not judged by fewer than twenty handshakes', async () => {
    const missing = stapled('http://ocsp.example.org', 'missing');
    await measure(vantages.slice(0, 1), missing, 0, 19);
    await evaluateSlowRules(new Date(NOW));
    expect(await incidents('staple')).toEqual([]);
    await measure(vantages.slice(0, 1), missing, -19, 1);
    await evaluateSlowRules(new Date(NOW));
    expect(await incidents('staple')).toHaveLength(1);
  });

  it('are not asked for where it names none', async () => {
    await measure(vantages, stapled(null, 'not_applicable'));
    await measure(vantages, stapled('http://ocsp.example.org', 'unverified'));
    await evaluateSlowRules(new Date(NOW));
    expect(await incidents('staple')).toEqual([]);
  });
});

describe('a vantage', () => {
  beforeEach(async () => {
    await getPool().query('delete from "check"');
    for (const { id } of vantages)
      await getPool().query('insert into "check" (id, target_id, vantage_id, revision) values ($1, $2, $3, 1)', [
        v7(),
        targetId,
        id,
      ]);
  });

  it('from which nothing came for five periods is silent, until something comes', async () => {
    await measure(vantages.slice(1));
    await fast();
    const [silent] = await incidents('silent');
    expect(silent).toMatchObject({ status: 'open', region: 'CN-BJ', targetId: null });
    // No target's row tells of it: the overview tells it among the problems.
    const told = await listIncidents({ kind: ['silent'], status: ['open'], order: 'impact', limit: 10 });
    expect(told.data).toMatchObject([{ id: silent?.id, affected: { targets: 0, vantages: 1 } }]);
    await measure(vantages, () => {}, 10);
    await fast(10);
    expect(await incidents('silent')).toMatchObject([{ status: 'resolved' }]);
  });

  it('is not silent while the server itself has only just started', async () => {
    await measure(vantages.slice(1));
    await fast(0, new Date(NOW - 2 * MINUTE));
    expect(await incidents('silent')).toEqual([]);
  });
});

describe('with two jobs processes', () => {
  it('one judges a rule at a time, so that nothing old is written', async () => {
    const [rule] = await rulesOf(getPrisma(), 'down');
    if (!rule) throw new Error('a fresh database has a rule for targets that are down');
    const [begun, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = applyRule(
      rule,
      async () => {
        begun.resolve();
        await hold.promise;
        return { broken: [], healthy: new Set() };
      },
      new Date(NOW),
    );
    await begun.promise;
    const judged: string[] = [];
    const judge = async () => {
      judged.push('second');
      return { broken: [], healthy: new Set<string>() };
    };
    await applyRule(rule, judge, new Date(NOW));
    expect(judged).toEqual([]);
    hold.resolve();
    await first;
    await applyRule(rule, judge, new Date(NOW));
    expect(judged).toEqual(['second']);
  });
});

describe('a target that is down', () => {
  const later = (minutes: number) => new Date(NOW + minutes * MINUTE);
  const failures = (place: number, minutes: number, group: string) => {
    const [vantage = makeVantage('CN-BJ', 'unicom')] = vantages.slice(place, place + 1);
    const levels = { metric: 'failures' as const, beforeMs: 0, afterMs: 1 };
    return makeDetection({ targetId, vantage, at: later(minutes), group, ...levels });
  };
  const goDown = async () => {
    await measure(vantages.slice(0, 3), failing);
    await fast();
  };

  it('counts the vantages that were expected and names the silent ones, in messages too', async () => {
    await getPool().query('delete from "check"');
    await assignAll();
    await goDown();
    const [incident] = await incidents('down');
    const silent = vantages.slice(3).map(({ name }) => name);
    expect(incident?.evidence).toEqual({
      ...{ vantagesDown: 3, vantagesMeasured: 3, vantagesExpected: 4, vantagesSilent: silent },
      failure: expect.anything(),
    });
    const data = { ...(await getIncident(incident?.id ?? '')) };
    const payload = { type: 'target.down' as const, timestamp: later(0).toISOString(), data };
    expect(textOf(payload, 'en').lines.join('\n')).toContain(
      `all results of 3 of 4 vantages fail (1 silent: ${silent[0]})`,
    );
    expect(textOf(payload, 'zh-CN').lines.join('\n')).toContain(`1 个无数据：${silent[0]}`);
  });

  it('has its failures and staples in one incident, whichever came first, and later ones too', async () => {
    await record([failures(0, -2, 'a')], [], later(-2));
    await goDown();
    const [staple] = await rulesOf(getPrisma(), 'staple');
    if (!staple) throw new Error('there is a rule on staples');
    const cells = [cellOf({ targetId, kind: 'staple', at: later(0) })];
    const broken = { cells, metric: null, onsetAt: later(0), evidence: {}, demo: false, key: `staple:${targetId}` };
    const bad = () => Promise.resolve({ broken: [broken], healthy: new Set<string>() });
    await getPool().query("update incident set status = 'resolved', resolved_at = now() where kind = 'down'");
    await applyRule(staple, bad, later(0));
    await getPool().query("update incident set status = 'open', resolved_at = null where kind = 'down'");
    await joinReachability(later(1));
    await record([failures(3, 2, 'a'), failures(0, 2, 'b')], [], later(2));
    await applyRule(staple, bad, later(3));
    const [down, ...others] = await getPrisma().incident.findMany({ where: { mergedInto: null } });
    expect(others).toEqual([]);
    expect(down).toMatchObject({ kind: 'down', status: 'open' });
    const merged = await getPrisma().incident.findMany({ where: { mergedInto: down?.id ?? '' } });
    // The spike was there first, and is what grew.
    expect(merged.map(({ kind, resolution }) => `${kind} ${resolution}`)).toEqual(['staple merged']);
    expect(down?.evidence).toMatchObject({ openedAs: 'spike', vantagesDown: 3 });
  });
});
