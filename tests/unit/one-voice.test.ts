import { describe, expect, it } from 'vitest';
import { described } from '#components/incident/incident-text.ts';
import type { Incident } from '#contract/incident.ts';
import { CHINA_REGIONS, MAINLAND_REGIONS } from '#contract/location.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { MAX_PAYLOAD_BYTES, type WebhookPayload } from '#contract/webhook-event.ts';
import { LOCALES, type Locale } from '#i18n/locale.ts';
import { carrierName, locationName, regionName } from '#i18n/names.ts';
import { formatTime } from '#i18n/time.ts';
import { fitPayload, sizeOf } from '#server/webhooks/enqueue.ts';
import { email } from '#server/webhooks/formats/email.ts';
import { slack } from '#server/webhooks/formats/slack.ts';
import type { Endpoint } from '#server/webhooks/outgoing.ts';
import { summaryOf, textOf, voiceOf } from '#server/webhooks/text.ts';
import { cellAt, incidentOf, ONSET } from '../support/incident-of.ts';

const NOW = Date.parse('2026-11-20T16:10:00.000Z');

const payloadOf = (incident: Incident): WebhookPayload => ({
  type: 'tls.spike.opened',
  timestamp: ONSET,
  data: JSON.parse(JSON.stringify(incident)),
});

const endpointOf = (format: 'slack' | 'email', language: Locale): Endpoint => ({
  format,
  url: 'https://chat.example.org/',
  secrets: [],
  language,
  settings: {
    email: {
      host: 'mail',
      port: 25,
      secure: false,
      user: null,
      from: 'a@example.org',
      to: ['b@example.org'],
    },
    contentType: 'text/plain',
    labels: {},
  },
  template: null,
});

/** What the page, Slack, a mail and `data.summary` say. */
function told(incident: Incident, language: Locale) {
  const message = { messageId: 'm', incidentId: incident.id, payload: fitPayload(payloadOf(incident)) };
  const posted = JSON.parse(String(slack.write(endpointOf('slack', language), message, new Date(NOW)).body));
  const mail = email.write(endpointOf('email', language), message, new Date(NOW));
  if (mail.kind !== 'mail') throw new Error('no mail');
  const ui = { ...voiceOf(language), theme: 'light' as const };
  return {
    page: described(ui, incident, NOW),
    slack: String(posted.text),
    mail: mail.subject,
    summary: summaryOf(payloadOf(incident), language),
    ui,
  };
}

const EVERYWHERE = ['telecom', 'unicom', 'mobile'].flatMap((carrier) =>
  MAINLAND_REGIONS.map((region) => ({ region, carrier })),
);

describe('what happened', () => {
  const cells = [
    cellAt({ target: 1, region: 'CN-BJ', carrier: 'telecom' }),
    cellAt({ target: 2, region: 'CN-GD', carrier: 'unicom' }),
  ];

  it.each([
    [
      'en',
      'Spike: Beijing Telecom, Guangdong Unicom · target-1, target-2, TLS +47 ms (+85%)',
      'since 2026-11-20 16:03 UTC, probable cause: network',
    ],
    [
      'zh-CN',
      '突增：北京电信、广东联通 · target-1、target-2，TLS +47 ms（+85%）',
      '自 2026-11-21 00:03（北京时间） 起，可能原因：网络',
    ],
  ] as const)('is told alike by the page, chat, mail and data.summary (%s)', (language, title, rest) => {
    const says = told(incidentOf(cells, EVERYWHERE), language);
    expect(says.page.title).toBe(title);
    expect(says.slack).toBe(`[Roundtrip] ${title}`);
    expect(says.mail).toBe(`[Roundtrip] ${title}`);
    expect(says.summary).toBe(`${title}${language === 'en' ? ', ' : '，'}${rest}`);
    // The page's times are short, as its reader sees them beside others; all else is the same.
    const time = formatTime(ONSET, says.ui.timeZone, 'minute');
    expect(says.page.sentence.replace(says.page.since ?? '', '')).toBe(
      says.summary.replace(says.ui.t('brief.since', { time: says.ui.t('message.time', { time }) }), ''),
    );
  });

  it('sums up all of a carrier and more targets than have room', () => {
    const wide = MAINLAND_REGIONS.flatMap((region) =>
      [1, 2, 3, 4].map((target) => cellAt({ target, region, carrier: 'unicom' })),
    );
    const says = told(incidentOf(wide, EVERYWHERE), 'en');
    expect(says.page.headline).toBe('Spike: Unicom, 31 of 31 provinces · 4 targets');
    expect(says.page.name).toBe('Spike: Unicom, 31 of 31 provinces');
    expect(says.page.rest).toBe('4 targets');
    expect(says.slack).toContain('Unicom, 31 of 31 provinces · 4 targets');
  });
});

describe('of any incident', () => {
  let state = 7;
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  const pick = (n: number) => Math.floor(random() * n);
  const cases = Array.from({ length: 50 }, (_, n) => {
    const [targets, carriers, regions] = [1 + pick(6), 1 + pick(5), 1 + pick(34)];
    const measured = KNOWN_CARRIERS.slice(0, carriers).flatMap((carrier) =>
      CHINA_REGIONS.slice(0, regions).map((region) => ({ region, carrier })),
    );
    const share = random();
    const all = measured.flatMap((place) => Array.from({ length: targets }, (_, target) => ({ ...place, target })));
    const hit = all.filter(() => random() < share);
    const over = random() < 0.3;
    const cells = (hit.length > 0 ? hit : all.slice(0, 1)).map((where) => cellAt(where, over && random() < 0.5));
    return { n, cells, measured };
  });

  it.each(LOCALES)('no affected target, carrier or region is left out, and all are summed right (%s)', (language) => {
    const ui = { ...voiceOf(language), theme: 'light' as const };
    const { t } = ui;
    for (const { n, cells, measured } of cases) {
      const { title, where, targets } = described(ui, incidentOf(cells, measured), NOW);
      const open = cells.filter(({ recoveredAt }) => recoveredAt === null);
      const lasting = open.length > 0 ? open : cells;
      const message = `case ${n}: ${title}`;

      const names = [...new Set(lasting.map(({ targetName }) => String(targetName)))];
      if (names.length <= 3) for (const name of names) expect(targets, message).toContain(name);
      else expect(targets, message).toBe(t('incidents.targets', { n: names.length }));

      const byCarrier = Map.groupBy(lasting, ({ carrier }) => String(carrier));
      const regions = new Set(lasting.map(({ region }) => String(region)));
      const places = new Set(lasting.map(({ region, carrier }) => `${region} ${carrier}`));
      const unit = t('extent.provinces');
      const everywhere = t('extent.everywhere', { carriers: byCarrier.size, n: regions.size, unit });
      if (places.size === measured.length && byCarrier.size > 1 && regions.size > 1) {
        expect(where, message).toBe(everywhere);
        continue;
      }
      const spared = measured.filter(({ region, carrier }) => !places.has(`${region} ${carrier}`));
      if (byCarrier.size > 1 && spared.length <= 2 && places.size >= 5) {
        for (const place of spared) expect(where, message).toContain(locationName(ui, place.region, place.carrier));
        expect(where, message).toMatch(language === 'en' ? /^everywhere but / : /^除/);
        continue;
      }
      // Of more than three carriers the most affected are told, and how many more there are.
      const told = [...byCarrier].filter(([carrier]) => where?.includes(carrierName(ui, carrier)));
      const more = byCarrier.size - told.length;
      expect(told.length, message).toBeGreaterThanOrEqual(Math.min(3, byCarrier.size));
      if (more > 0) expect(where, message).toContain(t('extent.more', { list: '', unit, n: more }).trim());
      for (const [name, own] of told) {
        const mine = new Set(own.map(({ region }) => String(region)));
        const of = measured.filter((place) => place.carrier === name).length;
        const carrier = carrierName(ui, name);
        const summed = [
          t('extent.share', { carrier, n: mine.size, of }),
          t('extent.carrier', { carrier, n: mine.size, of, unit }),
        ];
        const others = measured.filter((place) => place.carrier === name && !mine.has(place.region));
        if (byCarrier.size === 1 && mine.size >= 5 && others.length > 0 && others.length <= 2) {
          for (const { region } of others) expect(where, message).toContain(regionName(ui, region));
          expect(where, message).toMatch(language === 'en' ? /all but .* \(\d+ of \d+/ : /除.*外（\d+\/\d+/);
          continue;
        }
        const isNamed = [...mine].every((region) => where?.includes(regionName(ui, region)));
        expect(isNamed || summed.some((text) => where?.includes(text)), message).toBe(true);
      }
    }
  });

  it.each(LOCALES)('chat, mail and data.summary say what the page says (%s)', (language) => {
    for (const { n, cells, measured } of cases.filter((each) => each.n % 10 === 0)) {
      const says = told(incidentOf(cells, measured), language);
      const { title } = says.page;
      expect([says.slack, says.mail], `case ${n}`).toEqual([`[Roundtrip] ${title}`, `[Roundtrip] ${title}`]);
      expect(says.summary.startsWith(title), `case ${n}`).toBe(true);
    }
  });

  it('a message that was cut to fit says the same as one that was not', () => {
    const wide = MAINLAND_REGIONS.flatMap((region) =>
      ['telecom', 'unicom'].flatMap((carrier) => [1, 2, 3].map((target) => cellAt({ target, region, carrier }))),
    );
    const payload = payloadOf(incidentOf(wide, EVERYWHERE));
    const cut = fitPayload(payload);
    expect(sizeOf(payload)).toBeGreaterThan(MAX_PAYLOAD_BYTES);
    expect(cut.data.cellsOmitted).toBeGreaterThan(0);
    for (const language of LOCALES) expect(textOf(cut, language).title).toBe(textOf(payload, language).title);
  });
});
