import { describe, expect, it } from 'vitest';
import { adviceOf } from '#analysis/advice/advice.ts';
import { ADVICE_CODES, type AdviceFacts } from '#contract/advice.ts';
import type { SentChain } from '#contract/certificate.ts';
import { LANGUAGES } from '#contract/language.ts';
import { adviceTexts, deadAddressText, wasteText } from '#i18n/advice.ts';
import { translator } from '#i18n/translator.ts';
import type { Voice } from '#i18n/ui.ts';
import { repeated } from '../../support/advised.ts';

const voice = (locale: Voice['locale']): Voice => ({ locale, t: translator(locale), timeZone: 'UTC' });

/** Values for every placeholder of every sentence. */
const ALL: AdviceFacts['values'] = {
  ...{ version: 'TLSv1.2', falseStart: 'yes', cipher: 'AES256-SHA', reason: 'RSA', group: 'X25519', phase: 'tls' },
  ...{
    windowBytes: 14_480,
    flightBytes: 17_000,
    fittingBytes: 12_300,
    givenBackAt: 'total',
    ecdsa: 'issuer',
    staple: 'yes',
    segments: 10,
    waitMs: 30.4,
    uselessBytes: 0,
    stapleBytes: 0,
    afterBytes: 4_096,
  },
  ...{
    recordBytes: 16_406,
    gapMs: 30,
    bytes: 4_000,
    records: 40,
    meanBytes: 100,
    overheadBytes: 858,
    algorithm: 'brotli',
    uncompressedBytes: 21_000,
    fittingBytes: 12_000,
    waits: 1,
    encoding: 'none',
  },
  ...{
    mustStaple: 'no',
    status: 'stale',
    keyBits: 4_096,
    workMs: 4.2,
    httpVersion: '1.1',
    location: '/',
    origin: 'same',
  },
  ...{
    p50Ms: 120,
    floorMs: 4,
    rttMs: 90,
    usualMs: 30,
    notAfter: '2026-12-01T00:00:00.000Z',
    days: 1,
    lifetimeDays: 90,
    intermediate: 'none',
  },
  ...{ problem: 'root_sent', certificates: 3, messageBytes: 4_100 },
};

describe('the sentences of advice', () => {
  it.each(LANGUAGES)('are there for each code in %s', (locale) => {
    for (const code of ADVICE_CODES) {
      const texts = Object.values(adviceTexts(voice(locale), { code, values: ALL }));
      expect(texts.every((text) => text.length > 4 && !/[{}]|undefined/.test(text))).toBe(true);
    }
  });

  it('say the figures of the evidence in the reader’s form', () => {
    const { evidence } = adviceTexts(voice('en'), { code: 'record_over_window', values: ALL });
    expect(evidence).toContain('has 16,406 bytes (10 segments). Its last byte came 30 ms after');
    expect(adviceTexts(voice('zh-CN'), { code: 'tls12', values: ALL }).title).toBe('启用 TLS 1.3');
  });

  it('take what the rules found, whatever that was', () => {
    const results = repeated(3, {
      certificate: {
        notAfter: '2026-11-21T20:00:00.000Z',
        sent: { certificates: [], messageBytes: 9, problems: ['wrong_order'] },
      },
    });
    const [expiry] = adviceOf(results);
    expect(expiry && adviceTexts(voice('en'), expiry).evidence).toBe(
      'The certificate ends on 2026-11-21 20:00: less than a day of 11 days left.',
    );
  });

  it('name what is wrong with a chain in the title', () => {
    const titleOf = (locale: Voice['locale'], ...problems: SentChain['problems']) => {
      const sent = { certificates: [], messageBytes: 9, problems };
      const found = adviceOf(repeated(3, { certificate: { sent } })).find(({ code }) => code === 'chain_problem');
      return found && adviceTexts(voice(locale), found).title;
    };
    // The root alone beside the leaf.
    const rootAlone: SentChain['problems'] = ['extra_certificates', 'missing_intermediate'];
    expect(titleOf('en', ...rootAlone)).toBe('An intermediate certificate is missing');
    expect(titleOf('zh-CN', ...rootAlone)).toBe('缺少中间证书');
    expect(titleOf('en', 'wrong_order', 'root_sent')).toBe('The certificate chain is in the wrong order');
    expect(titleOf('en', 'root_sent')).toBe('The server sends certificates that no client needs');
  });

  it('say what went to dead addresses', () => {
    const dead = { addresses: ['192.0.2.1', '::1'], results: 2, ofResults: 5, ms: 1_671, ofMs: 1_678.2 };
    expect(deadAddressText(voice('en'), dead)).toBe(
      'No connection to 192.0.2.1, ::1: 1,671 of 1,678 ms lost, in 2 of 5 results.',
    );
    expect(deadAddressText(voice('zh-CN'), dead)).toContain('1,678 ms 中损失 1,671，');
  });

  it('say what of a visit is waste, with the worst region where several were measured', () => {
    const waste = { roundTrips: 5, wasted: 2, medianMs: 112.4, worst: { region: 'CN-XJ', ms: 380 } };
    expect(wasteText(voice('en'), waste)).toBe(
      '2 of 5 round trips of a visit are waste: 112 ms at the median, 380 ms in Xinjiang.',
    );
    expect(wasteText(voice('zh-CN'), { ...waste, worst: null })).toBe('一次访问 5 次往返中 2 次可省：中位 112 ms。');
  });
});
