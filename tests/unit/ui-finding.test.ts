import { describe, expect, it } from 'vitest';
import type { Finding } from '#contract/result.ts';
import { FINDING_CODES } from '#contract/vocabulary.ts';
import { findingEvidence } from '#i18n/finding.ts';
import { LOCALES, type Locale } from '#i18n/locale.ts';
import { translator } from '#i18n/translator.ts';

type Values = NonNullable<Finding['values']>;

/** What the engine gives with each code. */
const VALUES: Record<Finding['code'], Values> = {
  tls12_full_handshake: { falseStart: 'yes' },
  chain_exceeds_window: { waitMs: 28.1, afterBytes: 14_480, segments: 10, chainBytes: 20_480, window: 'usual' },
  hello_retry: {},
  extra_round_trip: { waitMs: 120, afterBytes: 900 },
  staple_stale: { nextUpdateAt: '2026-11-20T08:00:00.000Z' },
  staple_missing: {},
  staple_invalid: { status: 'malformed' },
  staple_revoked: {},
  must_staple_violated: { status: 'missing' },
  http1_only: { version: '1.1' },
  http1_required: { lostMs: 31 },
  http_malformed: { oddities: 'folded_header bare_lf' },
  cert_expires_soon: { notAfterAt: '2026-12-04T00:00:00.000Z', days: 12, lifetimeDays: 90 },
  implausible_ratio: { times: 14.2 },
  loss: { segment: 'early', segments: 3 },
  records_exceed_window: { bytes: 16_413, waitMs: 28, waits: 1 },
  tiny_records: { bytes: 1_500, records: 14, waits: 1 },
  chain_wrong_order: { order: 'CN=a | CN=b' },
  chain_missing_intermediate: { issuer: 'CN=E7' },
  chain_extra_certificates: { savedBytes: 1_300, messageBytes: 4_000 },
  tickets_do_not_resume: { tickets: 2, roundTrips: 2 },
  no_false_start: { keyExchange: 'RSA', cipher: 'TLS_RSA_WITH_AES_128_GCM_SHA256', alpn: 'none' },
  body_exceeds_window: { bytes: 40_000, waits: 2, afterBytes: 14_480, encoding: 'none' },
  no_session: { version: 'TLSv1.3' },
  nagle_delay: { waitMs: 28, afterBytes: 4_096, segments: 3, windowSegments: 10 },
  small_window: { segments: 3, bytes: 4_096 },
  dead_address: {
    addresses: '192.0.2.1',
    dead: 1,
    reason: 'tcp_timeout',
    syns: 2,
    connected: '192.0.2.2',
    lostMs: 1_667,
    raceMs: 250,
  },
};

const evidence = (locale: Locale, code: Finding['code'], values: Values | undefined) =>
  findingEvidence(
    { locale, t: translator(locale), timeZone: 'UTC' },
    { code, severity: 'info', savesRoundTrips: null, savesMs: null, evidence: 'in English', values },
    (at) => `on ${at.slice(0, 10)}`,
  );

describe.each(LOCALES)('the evidence of a finding in %s', (locale) => {
  it.each(FINDING_CODES)('is a sentence of its own for %s', (code) => {
    const sentence = evidence(locale, code, VALUES[code]);
    expect(sentence).toMatch(/[.。：:]|CN=b/);
    expect(sentence).not.toMatch(/[{}]|undefined|NaN/);
    expect(/[\u4e00-\u9fff]/.test(sentence ?? '')).toBe(locale === 'zh-CN');
  });
});

describe('the evidence of a finding', () => {
  it('has its figures with their units', () => {
    expect(evidence('en', 'chain_exceeds_window', VALUES.chain_exceeds_window)).toBe(
      "The server's flight paused for 28.1 ms after 14,480 bytes in 10 segments, about one round trip (the certificates take 20,480 bytes): consistent with exceeding the usual initial window of 10 segments.",
    );
    expect(evidence('zh-CN', 'chain_exceeds_window', VALUES.chain_exceeds_window)).toBe(
      '服务器发送 14,480 字节（10 个分段）后停顿了 28.1 ms，约为一次往返（证书共 20,480 字节），与超出通常的 10 个分段的初始窗口的情形相符。',
    );
    expect(evidence('en', 'cert_expires_soon', VALUES.cert_expires_soon)).toContain('on 2026-12-04, in 12 days');
    const ofIntermediate = { ...VALUES.cert_expires_soon, intermediate: 'CN=R3' };
    expect(evidence('en', 'cert_expires_soon', ofIntermediate)).toContain('The intermediate certificate CN=R3 expires');
    expect(evidence('en', 'loss', { syn: 'sent', synSent: 2, tcpMs: 1_028, segment: 'resent', segments: 1 })).toBe(
      'The SYN was sent 2 times; the connect took 1,028 ms. The kernel sent 1 segment again.',
    );
  });

  it('says the state of a staple in the reader’s words', () => {
    expect(evidence('en', 'staple_invalid', { status: 'not_observed' })).toBe(
      'The stapled OCSP response is not observed.',
    );
    expect(evidence('zh-CN', 'staple_invalid', VALUES.staple_invalid)).toBe('装订的 OCSP 响应状态为格式错误。');
    expect(evidence('zh-CN', 'staple_invalid', { status: 'a newer one' })).toContain('a newer one');
  });

  it('says what is odd about an answer in the reader’s words', () => {
    const said = evidence('en', 'http_malformed', VALUES.http_malformed);
    expect(said).toContain('folded header lines, lines that end with LF alone.');
    expect(evidence('zh-CN', 'http_malformed', VALUES.http_malformed)).toContain('响应头折行、行尾只有 LF。');
    expect(evidence('zh-CN', 'http_malformed', { oddities: 'bare_lf a_newer_one' })).toContain('LF、a_newer_one');
  });

  it('is left to the English one where there are no values, or others than the sentence takes', () => {
    expect(evidence('zh-CN', 'hello_retry', undefined)).toBeNull();
    expect(evidence('zh-CN', 'nagle_delay', { of: 'another engine' })).toBeNull();
  });
});
