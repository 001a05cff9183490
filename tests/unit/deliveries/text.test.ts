import { afterEach, describe, expect, it, vi } from 'vitest';
import { CHINA_REGIONS } from '#contract/place.ts';
import { WebhookPayload } from '#contract/webhook-event.ts';
import { carrierName as pageCarrier, regionName as pageRegion } from '#i18n/names.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { carrierName, regionName } from '#server/deliveries/places.ts';
import { textOf } from '#server/deliveries/text.ts';

afterEach(() => vi.unstubAllEnvs());

const LANGUAGES = ['en', 'zh-CN'] as const;
const uiOf = (locale: Ui['locale']): Ui => ({ locale, theme: 'light', timeZone: 'UTC', t: translator(locale) });

const payload = (type: string, data: object) =>
  WebhookPayload.parse({ type, timestamp: '2026-11-21T08:00:00.000Z', data });

describe('a message for people', () => {
  const opened = {
    severity: 'warning',
    targetName: 'shop',
    region: 'CN-GD',
    carrier: 'telecom',
    metric: 'failures',
    effectRatio: 1.5,
    onsetAt: '2026-11-21T18:30:00.000Z',
    cells: [{ targetName: 'shop', region: 'CN-GD', carrier: 'telecom' }],
  };

  it('has places and times as its readers say them, with the zone', () => {
    const english = textOf(payload('tls.spike.opened', opened), 'en');
    expect(english.title).toBe('[Roundtrip] Spike: shop · Guangdong Telecom, failures +150%');
    expect(english.lines).toContain('Since: 2026-11-21 18:30 UTC');
    expect(english.lines).toContain('- shop · Guangdong Telecom');
    const chinese = textOf(payload('tls.spike.opened', opened), 'zh-CN');
    expect(chinese.title).toBe('[Roundtrip] 突增：shop · 广东电信, 失败率 +150%');
    expect(chinese.lines).toContain('开始时间：2026-11-22 02:30（北京时间）');
    expect(chinese.lines).toContain('- shop · 广东电信');
  });

  it('says when it was over, and leaves a time that is none as it is', () => {
    const { lines } = textOf(
      payload('tls.spike.resolved', { openedAt: 'yesterday', resolvedAt: '2026-11-21T19:00:00Z' }),
      'en',
    );
    expect(lines).toEqual(['Since: yesterday', 'Over at: 2026-11-21 19:00 UTC']);
  });

  it.each(LANGUAGES)('names regions and carriers as pages do (%s)', (language) => {
    const ui = uiOf(language);
    for (const region of [...CHINA_REGIONS, 'US-CA', 'DE-HE'])
      expect(regionName(region, language)).toBe(pageRegion(ui, region));
    for (const carrier of ['telecom', 'unicom', 'mobile', 'cernet', 'broadnet', 'other', 'local', 'aws'])
      expect(carrierName(carrier, language)).toBe(pageCarrier(ui, carrier));
  });

  it('calls an expiring certificate as pages do', () => {
    expect(textOf(payload('certificate.expiring', {}), 'zh-CN').title).toContain(
      translator('zh-CN')('incident.kind.certificate'),
    );
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
    const { groupPayload } = await import('#server/deliveries/group.ts');
    return groupPayload([part('a'), part('b')]);
  }

  it('leads to all incidents where the public address is known', async () => {
    const { link, lines } = textOf(await grouped('https://roundtrip.example.org'), 'en');
    expect(link).toBe('https://roundtrip.example.org/incidents');
    expect(lines).toEqual(['Down: a', 'Down: b']);
    expect(textOf(await grouped(undefined), 'en').link).toBeNull();
  });
});
