import { afterEach, describe, expect, it, vi } from 'vitest';
import type { IncidentCounterfactual } from '#contract/counterfactual.ts';
import type { IncidentFailure } from '#contract/failure.ts';
import type { Incident } from '#contract/incident.ts';
import { affectedBy } from '#contract/incident-parts.ts';
import type { IncidentResolution } from '#contract/incident-vocabulary.ts';
import type { WebhookPayload } from '#contract/webhook-event.ts';
import { translator } from '#i18n/translator.ts';
import { alertmanager } from '#server/webhooks/formats/alertmanager.ts';
import { pagerduty } from '#server/webhooks/formats/pagerduty.ts';
import type { Format } from '#server/webhooks/outgoing.ts';
import { samplePayload } from '#server/webhooks/sample-payloads.ts';
import { textOf } from '#server/webhooks/text.ts';
import { cellAt } from '../../support/incident-of.ts';

afterEach(() => vi.unstubAllEnvs());

const LANGUAGES = ['en', 'zh-CN'] as const;

const NOW = '2026-11-21T08:00:00.000Z';
const SHOP = {
  ...cellAt({ target: 1, region: 'CN-GD', carrier: 'telecom' }),
  targetName: 'shop',
  vantageName: null,
  beforeMs: null,
  afterMs: null,
};

/** A message about an incident of these cells, or of its target alone, by what there is to be told of it. */
function payload(type: WebhookPayload['type'], data: Partial<Incident>): WebhookPayload {
  const { kind } = samplePayload(type, new Date(NOW)).data;
  const { targetName = null, metric = null } = data;
  const alone = targetName === null ? [] : [{ ...SHOP, targetName, region: null, carrier: null }];
  const affected = affectedBy(data.cells ?? alone, metric, []);
  const plain = { kind, metric, effectMs: null, effectRatio: null, failure: null, evidence: {}, cause: null };
  return { type, timestamp: NOW, data: { ...plain, onsetAt: NOW, affected, ...data } };
}

describe('a message for people', () => {
  const opened: Partial<Incident> = {
    severity: 'warning',
    targetName: 'shop',
    region: 'CN-GD',
    carrier: 'telecom',
    metric: 'failures',
    effectRatio: 1.5,
    onsetAt: '2026-11-21T18:30:00.000Z',
    cells: [{ ...SHOP, metric: 'failures' }],
  };

  it('has the limit of a threshold and what was measured in the unit of its rule', () => {
    const lineOf = (metric: string, stat: string, beforeMs: number, afterMs: number) => {
      const cells = [{ ...SHOP, kind: 'threshold' as const, metric, beforeMs, afterMs }];
      const data = { kind: 'threshold' as const, metric, evidence: { stat }, cells };
      return textOf(payload('threshold.opened', data), 'en').lines.at(-1);
    };
    expect(lineOf('tls', 'availability', 0.99, 0.87)).toBe('- shop · Guangdong Telecom 99% → 87%');
    expect(lineOf('roundTrips', 'p50', 2, 3)).toBe('- shop · Guangdong Telecom 2 RTT → 3 RTT');
    expect(lineOf('tls', 'p95', 200, 310)).toBe('- shop · Guangdong Telecom 200 ms → 310 ms');
  });

  it('tells of a series what its full handshakes did, where resumed ones moved as well', () => {
    const cells = [
      { ...SHOP, metric: 'tls', variant: 'resumed' as const, beforeMs: 60, afterMs: 110 },
      { ...SHOP, metric: 'tls', beforeMs: 100, afterMs: 180 },
    ];
    expect(textOf(payload('tls.spike.opened', { metric: 'tls', cells }), 'en').lines.at(-1)).toBe(
      '- shop · Guangdong Telecom 100.0 → 180.0 ms',
    );
    expect(affectedBy(cells, 'tls', [])).toMatchObject({ before: 100, after: 180 });
  });

  it('has places and times as its readers say them, with the zone', () => {
    const english = textOf(payload('tls.spike.opened', opened), 'en');
    expect(english.title).toBe('[Roundtrip] Spike: shop · Guangdong Telecom, Failures +150%');
    expect(english.lines).toContain('Since: 2026-11-21 18:30 UTC');
    expect(english.lines).toContain('- shop · Guangdong Telecom');
    const chinese = textOf(payload('tls.spike.opened', opened), 'zh-CN');
    expect(chinese.title).toBe('[Roundtrip] 突增：shop · 广东电信，失败率 +150%');
    expect(chinese.lines).toContain('开始时间：2026-11-22 02:30（北京时间）');
    expect(chinese.lines).toContain('- shop · 广东电信');
  });

  it('of failures says how many fail, before and now', () => {
    const failure = { phase: 'tcp', reason: 'tcp_refused', source: 'target', share: 0.38 } as const;
    const cells = [{ ...SHOP, metric: 'failures', beforeMs: 0.004, afterMs: 0.38 }];
    const spike = payload('tls.spike.opened', { ...opened, effectRatio: null, failure, cells });
    expect(textOf(spike, 'en').title).toBe(
      '[Roundtrip] Spike: shop · Guangdong Telecom, 0.4% → 38% of probes fail: Connection refused (phase Connect)',
    );
    expect(textOf(spike, 'en').lines).toContain('- shop · Guangdong Telecom: 0.4% → 38% of probes fail');
    expect(textOf(spike, 'zh-CN').lines).toContain('- shop · 广东电信：失败率 0.4% → 38%');
  });

  it('says what it would be without the incident, where that is known', () => {
    const counterfactual = { withoutMs: 38.2, nowMs: 61.4, series: 3, siblings: 3, at: '2026-11-21T20:30:00.000Z' };
    const lines = (counterfactual: IncidentCounterfactual | null, language: (typeof LANGUAGES)[number]) =>
      textOf(payload('tls.regression.opened', { ...opened, kind: 'regression', counterfactual }), language).lines;
    expect(lines(counterfactual, 'en')).toContain('Without it about 38 ms, in fact 61.4 ms');
    expect(lines(counterfactual, 'zh-CN')).toContain('无事件时约 38 ms，实际 61.4 ms');
    expect(lines(null, 'en').join()).not.toContain('Without it');
  });

  it('says when it was over', () => {
    const ended = { overAt: '2026-11-21T19:00:00Z', resolvedAt: '2026-11-21T19:30:00Z' };
    const { lines } = textOf(payload('tls.spike.resolved', ended), 'en');
    expect(lines).toEqual(['Since: 2026-11-21 08:00 UTC', 'Over at: 2026-11-21 19:00 UTC']);
  });

  it('says of an improvement when it was found: it goes on', () => {
    const improved = payload('tls.improvement.detected', { kind: 'improvement', resolvedAt: '2026-11-21T19:00:00Z' });
    expect(textOf(improved, 'en').lines.at(-1)).toBe('Found at: 2026-11-21 19:00 UTC');
    expect(textOf(improved, 'zh-CN').lines.at(-1)).toBe('发现时间：2026-11-22 03:00（北京时间）');
  });

  it.each<[IncidentResolution, WebhookPayload['type'], string, string, string]>([
    ['accepted', 'tls.regression.accepted', 'warning', 'Regression accepted as the new level', '劣化已接受新水平'],
    ['accepted', 'tls.spike.resolved', 'warning', 'Spike accepted as the new level', '突增已接受新水平'],
    ['superseded', 'tls.spike.resolved', 'neutral', 'Spike became a lasting change', '突增转为持续变化'],
    ['unwatched', 'tls.spike.resolved', 'neutral', 'Spike, no longer monitored', '突增，已停止监测'],
    ['rolled_back', 'tls.regression.resolved', 'good', 'Regression over', '劣化已恢复'],
    ['by_hand', 'target.recovered', 'neutral', 'Down, resolved manually', '不可用，已手动关闭'],
    ['by_hand', 'tls.spike.resolved', 'neutral', 'Spike, resolved manually', '突增，已手动关闭'],
  ])('calls an end what it is: %s of %s', (resolution, type, tone, english, chinese) => {
    const ended = { ...opened, effectMs: 62, metric: 'tls', resolution, resolvedAt: '2026-11-28T18:30:00Z' };
    const message = textOf(payload(type, ended), 'en');
    expect(message).toMatchObject({
      tone,
      title: `[Roundtrip] ${english}: shop · Guangdong Telecom, TLS +62 ms (+150%)`,
    });
    const translated = textOf(payload(type, ended), 'zh-CN');
    expect(translated.title).toContain(`${chinese}：shop`);
    if (resolution !== 'rolled_back')
      expect([translated.title, ...translated.lines].join()).not.toMatch(/已恢复|恢复时间/);
    expect(message.lines).toContain(`${resolution === 'accepted' ? 'Accepted' : 'Over'} at: 2026-11-28 18:30 UTC`);
    expect(message.lines).toContain('Since: 2026-11-21 18:30 UTC');
  });

  it('says why a target fails: reason, phase, whose fault and share', () => {
    const failure = { phase: 'tls', reason: 'cert_expired', source: 'target', share: 1 } as const;
    const down = (language: (typeof LANGUAGES)[number], given: IncidentFailure) =>
      textOf(
        payload('target.down', { targetName: 'shop', onsetAt: '2026-11-21T18:30:00.000Z', failure: given }),
        language,
      );
    expect(down('en', failure).title).toBe(
      '[Roundtrip] Down: shop, 100% of probes fail: Certificate expired (phase TLS)',
    );
    expect(down('en', failure).lines).toContain('Reason: Certificate expired (phase TLS), 100% of probes fail');
    expect(down('zh-CN', failure).lines).toContain('失败原因：证书已过期（TLS 阶段），失败率 100%');
    const resolver = { phase: 'dns', reason: 'dns_timeout', source: 'resolver', share: 0.9996 } as const;
    expect(down('en', resolver).lines).toContain(
      'Reason: DNS timed out (phase DNS, at the resolver), 99.9% of probes fail',
    );
  });

  it('says how long a certificate lasts, and that it has expired where it has', () => {
    const title = (daysLeft: number, language: (typeof LANGUAGES)[number]) =>
      textOf(payload('certificate.expiring', { targetName: 'shop', evidence: { daysLeft } }), language).title;
    expect(title(12, 'en')).toBe('[Roundtrip] Certificate expiring: shop, 12 days left');
    expect(title(-3, 'en')).toBe('[Roundtrip] Certificate expired: shop, expired 2 days ago');
    expect(title(-3, 'zh-CN')).toBe('[Roundtrip] 证书已过期：shop，已过期 2 天');
  });

  it('says how many vantages see a target down', () => {
    const down = payload('target.down', { targetName: 'shop', evidence: { vantagesDown: 31, vantagesMeasured: 93 } });
    expect(textOf(down, 'en').lines).toContain('Where: all results of 31 of 93 vantages fail');
  });

  it('calls an expiring certificate as pages do', () => {
    expect(textOf(payload('certificate.expiring', {}), 'zh-CN').title).toContain(
      translator('zh-CN')('incident.kind.certificate'),
    );
  });
});

describe('what stands', () => {
  const standing = {
    ...samplePayload('tls.regression.updated', new Date('2026-11-28T18:30:00Z')).data,
    standingSince: '2026-11-26T18:30:00Z',
    cost: { hours: 100.4, meanExcessMs: 62.46, users: 0.3 },
  };

  it('says since when, and what it has cost so far, while it goes on', () => {
    const message = textOf(payload('tls.regression.updated', standing), 'en');
    expect(message.lines).toContain(
      'Standing since: 2026-11-26 18:30 UTC; 62.5 ms more on average for 100 hours so far',
    );
    expect(textOf(payload('tls.regression.updated', standing), 'zh-CN').lines).toContainEqual(
      expect.stringMatching(/^长期存在：自 2026-11-27 02:30.*至今 100 小时，平均增加 62\.5 ms$/),
    );
  });

  it('says who accepted it at its end, and no longer that it stands', () => {
    const over = { ...standing, status: 'resolved', resolution: 'accepted', resolvedBy: 'Li' } as const;
    const lines = textOf(payload('tls.regression.accepted', over), 'en').lines.join('\n');
    expect(lines).toContain('By: Li');
    expect(lines).not.toContain('Standing');
    const administrator = textOf(payload('tls.regression.accepted', { ...over, resolvedBy: 'dashboard' }), 'en');
    expect(administrator.lines).toContain('By: the administrator');
  });
});

describe('an accepted level', () => {
  const now = new Date('2026-11-28T18:30:00Z');
  const sample = samplePayload('tls.regression.accepted', now);
  const endpoint = {
    format: 'pagerduty' as const,
    url: 'https://pager.example.org/',
    secrets: ['key'],
    settings: { email: null, contentType: 'application/json', labels: {} },
    language: 'en' as const,
    template: null,
  };
  const message = { messageId: 'm', incidentId: 'i', payload: sample };

  it('is shown as one in previews', () => {
    expect(sample.data).toMatchObject({ kind: 'regression', status: 'resolved', resolution: 'accepted' });
    expect(textOf(sample, 'en').title).toContain('Regression accepted as the new level: shop.example.org');
  });

  it('closes the alert of PagerDuty and of Alertmanager: nobody is to be paged by it any more', () => {
    const body = (format: Format) => JSON.parse(String(format.write(endpoint, message, now).body));
    expect(body(pagerduty)).toMatchObject({ event_action: 'resolve', dedup_key: 'i' });
    expect(body(alertmanager)).toMatchObject([{ endsAt: now.toISOString() }]);
  });
});

describe('a message of a burst', () => {
  const part = (id: string) => ({
    id,
    incidentId: id,
    severity: 'warning',
    payload: payload('target.down', { targetName: id }),
  });

  /** As a process groups them that was started with this public address. */
  async function grouped(publicUrl: string | undefined): Promise<WebhookPayload> {
    vi.stubEnv('ROUNDTRIP_PUBLIC_URL', publicUrl);
    vi.resetModules();
    const { groupPayload } = await import('#server/webhooks/queue.ts');
    return groupPayload([part('a'), part('b')]);
  }

  it('leads to all incidents where the public address is known', async () => {
    const { link, lines } = textOf(await grouped('https://roundtrip.example.org'), 'en');
    expect(link).toBe('https://roundtrip.example.org/incidents');
    expect(lines).toEqual(['Down: a', 'Down: b']);
    expect(textOf(await grouped(undefined), 'en').link).toBeNull();
    // Everything that a process loads is loaded anew, twice.
  }, 30_000);
});
