import { describe, expect, it } from 'vitest';
import { described } from '#components/incident/incident-text.ts';
import type { Location } from '#contract/extent.ts';
import type { FailureSum } from '#contract/failure.ts';
import { byUrgency, incidentParts, type OpenIncident } from '#contract/incident-parts.ts';
import { MAINLAND_REGIONS } from '#contract/location.ts';
import { failureSentence } from '#i18n/incident.ts';
import type { Locale } from '#i18n/locale.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';

const ui = (locale: Locale, timeZone = 'Asia/Shanghai'): Ui => ({
  locale,
  theme: 'light',
  timeZone,
  t: translator(locale),
});
/** Ten past midnight of the 21st in Shanghai. */
const NOW = Date.parse('2026-11-20T16:10:00.000Z');
const ONSET = '2026-11-20T16:03:00.000Z';
const SHOP = '01970000-0000-7000-8000-000000000001';
const MAIL = '01970000-0000-7000-8000-000000000002';

const on = (carrier: string, regions: readonly string[] = MAINLAND_REGIONS): Location[] =>
  regions.map((region) => ({ region, carrier }));
const everywhere = [...on('telecom'), ...on('unicom'), ...on('mobile')];

type Levels = {
  targetId?: string;
  metric?: string | null;
  before?: number | null;
  after?: number | null;
  recovered?: boolean;
};

const cellsAt = (places: Location[], levels: Levels = {}): OpenIncident['cells'] =>
  places.map(({ region, carrier }) => ({
    targetId: levels.targetId ?? SHOP,
    vantageId: `${region} ${carrier}`,
    region,
    carrier,
    kind: 'spike',
    metric: levels.metric === undefined ? 'tls' : levels.metric,
    at: ONSET,
    changeAt: ONSET,
    beforeMs: levels.before === undefined ? 55 : levels.before,
    afterMs: levels.after === undefined ? 102 : levels.after,
    recoveredAt: levels.recovered ? ONSET : null,
    quietSince: null,
    peakMs: null,
    resumedBefore: null,
    resumedAfter: null,
  }));

const incident = (given: Partial<OpenIncident>): OpenIncident => ({
  id: '01970000-0000-7000-8000-000000000009',
  kind: 'spike',
  status: 'open',
  standingSince: null,
  heldUntil: null,
  severity: 'warning',
  metric: 'tls',
  cause: 'network',
  evidence: {},
  onsetAt: ONSET,
  effectMs: 47.2,
  effectRatio: 0.853,
  impact: null,
  targetId: SHOP,
  cells: cellsAt(on('unicom')),
  failure: null,
  ...given,
});

/** The sentence in both languages, as the page of SHOP says it. */
const sentences = (given: Partial<OpenIncident>, measured = everywhere) =>
  (['en', 'zh-CN'] as const).map(
    (locale) => described(ui(locale), incidentParts(incident(given), SHOP, measured), NOW).brief,
  );

describe('the sentence about an incident', () => {
  it('says where, by how much, since when and why', () => {
    expect(sentences({})).toEqual([
      'Unicom, 31 of 31 provinces, TLS +47 ms (+85%) since 00:03, probable cause: network',
      '联通，31/31 省，TLS +47 ms（+85%），自 00:03 起，可能原因：网络',
    ]);
  });

  it('counts against the provinces in which the target is measured on that carrier', () => {
    const regions = ['CN-BJ', 'CN-TJ', 'CN-GD', 'CN-GX', 'CN-HI'];
    const measured = [...on('unicom', regions), ...on('telecom')];
    expect(sentences({ cells: cellsAt(on('unicom', regions.slice(1))) }, measured)[0]).toMatch(
      /^Unicom, 4 of 5 provinces,/,
    );
  });

  it('names a single place, all carriers of one region, and several carriers each with its own count', () => {
    const where = (cells: Location[], measured = everywhere) =>
      sentences({ cells: cellsAt(cells) }, measured).map((text) => text.split(/[,，] ?(TLS|SSL) \+/)[0]);
    expect(where(on('mobile', ['CN-BJ']))).toEqual(['Beijing Mobile', '北京移动']);
    expect(where([...on('mobile', ['CN-BJ']), ...on('telecom', ['CN-BJ'])])).toEqual([
      'Beijing: Telecom, Mobile',
      '北京：电信、移动',
    ]);
    expect(where([...on('unicom'), ...on('telecom', ['CN-BJ'])])).toEqual([
      'Unicom 31 of 31, Telecom 1 of 31 provinces',
      '联通 31/31、电信 1/31 省',
    ]);
    expect(where(everywhere)).toEqual(['everywhere (3 carriers, 31 provinces)', '全部序列（3 家运营商，31 省）']);
    const local = [...on('mobile', ['CN-BJ']), ...on('telecom', ['CN-BJ'])];
    expect(where(local, local)).toEqual(['Beijing: Telecom, Mobile', '北京：电信、移动']);
    const abroad = on('dtag', ['DE-BE', 'DE-HH']);
    expect(where(abroad, [...abroad, ...on('dtag', ['DE-BY'])])).toEqual([
      'dtag in Germany BE, Germany HH',
      'dtag（德国 BE、德国 HH）',
    ]);
  });

  it('names few places of many, or the few that are spared', () => {
    const where = (cells: Location[], measured = everywhere) =>
      sentences({ cells: cellsAt(cells) }, measured).map((text) => text.split(/[,，] ?TLS \+/)[0]);
    const but =
      (without: string[]) =>
      ({ region }: Location) =>
        !without.includes(region);
    expect(where(on('unicom', ['CN-HI', 'CN-GD', 'CN-GX']))).toEqual([
      'Unicom in Guangdong, Guangxi, Hainan',
      '联通（广东、广西、海南）',
    ]);
    expect(where(on('unicom').filter(but(['CN-XJ'])))).toEqual([
      'Unicom, all but Xinjiang (30 of 31 provinces)',
      '联通，除新疆外（30/31 省）',
    ]);
    expect(where(on('unicom').filter(but(['CN-XJ', 'CN-XZ', 'CN-QH'])))).toEqual([
      'Unicom, 28 of 31 provinces',
      '联通，28/31 省',
    ]);
    expect(where(everywhere.slice(1))).toEqual(['everywhere but Beijing Telecom', '除北京电信外的全部序列']);
    const few = on('unicom', ['CN-BJ', 'CN-TJ', 'CN-GD', 'CN-GX', 'CN-HI']);
    expect(where(few.slice(1), few)).toEqual(['Unicom, 4 of 5 provinces', '联通，4/5 省']);
  });

  it('says since when a spike that is still open has been back to normal, once all of it is', () => {
    const [first, ...others] = cellsAt(on('unicom')).map((cell) => ({
      ...cell,
      quietSince: '2026-11-20T16:08:00.000Z',
    }));
    if (!first) throw new Error('cells');
    expect(sentences({ cells: [first, ...others] })).toEqual([
      'Unicom, 31 of 31 provinces, TLS +47 ms (+85%) since 00:03, probable cause: network, back to normal since 00:08',
      '联通，31/31 省，TLS +47 ms（+85%），自 00:03 起，可能原因：网络，00:08 起已回落',
    ]);
    expect(sentences({ cells: [{ ...first, quietSince: null, peakMs: null }, ...others] })[0]).not.toContain('normal');
  });

  it('leaves out what has recovered, unless all has', () => {
    const cells = [
      ...cellsAt(on('unicom', ['CN-BJ'])),
      ...cellsAt(on('unicom', ['CN-GD', 'CN-SH']), { recovered: true }),
    ];
    expect(sentences({ cells })[0]).toMatch(/^Beijing Unicom, /);
    expect(sentences({ cells: cells.slice(1) })[0]).toMatch(/^Unicom in Shanghai, Guangdong, /);
  });

  it('tells of an incident of many targets what concerns this one', () => {
    const cells = [
      ...cellsAt(on('unicom', ['CN-BJ', 'CN-GD']), { before: 50, after: 60 }),
      ...cellsAt(on('unicom'), { targetId: MAIL }),
    ];
    expect(sentences({ targetId: null, cells })[0]).toBe(
      'Unicom in Beijing, Guangdong, TLS +10 ms (+20%) since 00:03, probable cause: network',
    );
  });

  it('tells the day of another day, and the zone is the page’s', () => {
    const parts = incidentParts(incident({ onsetAt: '2026-11-19T15:58:00.000Z' }), SHOP, everywhere);
    expect(described(ui('en'), parts, NOW).brief).toContain('since 11-19 23:58');
    expect(described(ui('en', 'UTC'), parts, NOW).brief).toContain('since 11-19 15:58');
    const old = incidentParts(incident({ onsetAt: '2025-12-31T16:00:00.000Z' }), SHOP, everywhere);
    expect(described(ui('en', 'UTC'), old, NOW).brief).toContain('since 2025-12-31 16:00');
  });

  it('names a metric that is not TLS, and leaves out a cause that is not known', () => {
    expect(sentences({ metric: 'firstByte', cause: null, effectMs: 4.71, effectRatio: null })).toEqual([
      'Unicom, 31 of 31 provinces, First byte +4.7 ms since 00:03',
      '联通，31/31 省，首包 +4.7 ms，自 00:03 起',
    ]);
  });

  it('tells a target that is down with its reason, and the share of failures of a spike of them', () => {
    const failure = { phase: 'tls', reason: 'cert_expired', source: 'target', share: 1 } as const;
    const nothing = { effectMs: null, effectRatio: null, cause: null };
    const down = cellsAt(everywhere, { metric: null, before: null, after: null });
    expect(sentences({ kind: 'down', metric: null, ...nothing, cells: down, failure })).toEqual([
      'everywhere (3 carriers, 31 provinces), 100% of probes fail: Certificate expired (phase TLS) since 00:03',
      '全部序列（3 家运营商，31 省），100% 的探测失败：证书已过期（TLS 阶段），自 00:03 起',
    ]);
    const cells = cellsAt(on('telecom', ['CN-BJ']), { metric: 'failures', before: 0.004, after: 0.381 });
    const dns = { phase: 'dns', reason: 'dns_timeout', source: 'resolver', share: 0.38 } as const;
    expect(sentences({ metric: 'failures', ...nothing, cells, failure: dns })).toEqual([
      'Beijing Telecom, 0.4% → 38% of probes fail: DNS timed out (phase DNS, at the resolver) since 00:03',
      '北京电信，失败率 0.4% → 38%：DNS 超时（DNS 阶段，解析器），自 00:03 起',
    ]);
  });

  it('tells the share alone where as many failed before', () => {
    const cells = cellsAt(on('telecom', ['CN-BJ']), { metric: 'failures', before: 1, after: 1 });
    expect(sentences({ metric: 'failures', effectMs: null, effectRatio: null, cause: null, cells })[0]).toBe(
      'Beijing Telecom, 100% of probes fail since 00:03',
    );
  });

  it('tells a threshold with its value, and a certificate by the days that it has left', () => {
    const cells = cellsAt(on('unicom', ['CN-BJ']), { before: 500, after: 612 });
    expect(sentences({ kind: 'threshold', cause: null, evidence: { stat: 'p95' }, cells })[0]).toBe(
      'Beijing Unicom, TLS P95 612 ms, threshold 500 ms since 00:03',
    );
    const whole = cellsAt([{ region: 'CN-BJ', carrier: 'x' }]).map((cell) => ({
      ...cell,
      region: null,
      carrier: null,
    }));
    const certificate = { kind: 'certificate', metric: null, cause: null, effectMs: null, effectRatio: null } as const;
    expect(sentences({ ...certificate, cells: whole, evidence: { daysLeft: 5 } })).toEqual([
      '5 days left',
      '剩余 5 天',
    ]);
  });
});

describe('the share of full handshakes', () => {
  const resumed = (before: number, after: number) =>
    cellsAt(on('unicom')).map((cell) => ({ ...cell, resumedBefore: before, resumedAfter: after }));

  it('is told where it moved by more than 15 points', () => {
    expect(sentences({ cells: resumed(0.85, 0.54), effectMs: 8.7, effectRatio: 0.25 })).toEqual([
      'Unicom, 31 of 31 provinces, TLS +8.7 ms (+25%), full handshakes 15% → 46% since 00:03, probable cause: network',
      '联通，31/31 省，TLS +8.7 ms（+25%），完整握手占比 15% → 46%，自 00:03 起，可能原因：网络',
    ]);
    expect(sentences({ cells: resumed(0.85, 0.71) })).toEqual(sentences({}));
    expect(sentences({ cells: resumed(0.2, 0.9) })[0]).toContain('full handshakes 80% → 10%');
  });
});

describe('the order of incidents', () => {
  it('is what nobody acknowledged, then severity, series, effect, and the oldest', () => {
    const made: [string, Partial<OpenIncident>][] = [
      ['acknowledged', { status: 'acknowledged', severity: 'critical' }],
      ['young', { onsetAt: '2026-11-20T16:08:00.000Z' }],
      ['small', { effectMs: 12 }],
      ['few', { cells: cellsAt(on('unicom', ['CN-BJ'])), effectMs: 400 }],
      ['critical', { severity: 'critical', cells: cellsAt(on('unicom', ['CN-BJ'])) }],
      ['old', {}],
    ];
    const order = made
      .map(([id, given]) => incidentParts(incident({ ...given, id }), SHOP, everywhere))
      .sort(byUrgency)
      .map(({ id }) => id);
    expect(order).toEqual(['critical', 'old', 'young', 'small', 'few', 'acknowledged']);
  });
});

describe('the sentence about failures', () => {
  const failure = (given: Partial<FailureSum>): FailureSum => ({
    phase: 'tcp',
    reason: 'tcp_refused',
    source: 'target',
    share: 1,
    shareSince: 1,
    places: everywhere,
    firstAt: ONSET,
    lastAt: '2026-11-20T16:09:30.000Z',
    since: ONSET,
    ...given,
  });
  const told = (given: Partial<FailureSum>) =>
    (['en', 'zh-CN'] as const).map((locale) => failureSentence(ui(locale), failure(given), everywhere, NOW));

  it('says how many, why, where and since when', () => {
    expect(told({})).toEqual([
      '100% of probes fail: Connection refused (phase Connect), everywhere (3 carriers, 31 provinces), since 00:03',
      '100% 的探测失败：连接被拒绝（建连阶段），全部序列（3 家运营商，31 省），自 00:03 起',
    ]);
  });

  it('says that they have stopped, and what went wrong at the prober apart', () => {
    expect(told({ since: null, share: 0.0234, places: on('unicom', ['CN-GD']) })[0]).toBe(
      '2.3% of probes failed: Connection refused (phase Connect), Guangdong Unicom, last 00:09',
    );
    const prober = {
      source: 'prober',
      reason: 'prober_offline',
      share: 0.03,
      places: on('unicom', ['CN-GD']),
    } as const;
    expect(told(prober)).toEqual([
      '3% of probes failed at the prober itself: Prober offline (phase Connect), Guangdong Unicom, last 00:09',
      '3% 的探测因探测器自身失败：探测器离线（建连阶段），广东联通，最近一次 00:09',
    ]);
  });

  it('says of what goes on how many fail since it began, not over the range', () => {
    expect(told({ share: 0.02, shareSince: 1 })[0]).toMatch(/^100% of probes fail: .* since 00:03$/);
    expect(told({ share: 0.02, shareSince: null, since: null })[0]).toMatch(/^2% of probes failed: /);
  });

  it('does not round up to all of them, nor down to none', () => {
    expect(told({ shareSince: 0.9999 })[0]).toMatch(/^99\.9% of probes fail/);
    expect(told({ shareSince: 0.0003 })[0]).toMatch(/^<0\.1% of probes fail/);
  });
});
