import { describe, expect, it } from 'vitest';
import { pastMarkers } from '#demo/past/story.ts';
import { pastBefore } from '#demo/past/window.ts';
import { type DeployMarker, deployOnTime } from '#demo/present/deploys.ts';
import { negotiateLocale } from '#i18n/locale.ts';
import { locationName, markerWords, regionName } from '#i18n/names.ts';
import { formatChange, formatQuantity, verdict } from '#i18n/numbers.ts';
import { formatTime, isTimeZone, parseLocal, toLocalField, zoneOffset } from '#i18n/time.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'Asia/Shanghai', theme: 'system' };
const zh: Ui = { ...ui, locale: 'zh-CN', t: translator('zh-CN') };

describe('the language of a reader', () => {
  it.each([
    ['zh-TW,zh;q=0.9,en;q=0.8', 'zh-CN'],
    ['en-GB,en;q=0.9,zh;q=0.8', 'en'],
    ['fr, en;q=0.2, zh;q=0.5', 'zh-CN'],
    ['zh;q=0, en;q=0.1', 'en'],
    ['fr', 'en'],
    ['', 'en'],
  ])('%s is %s', (header, locale) => {
    expect(negotiateLocale(header)).toBe(locale);
  });
});

/** The markers that a demo of each age up to two days has of its last deploys. */
function deployMarkers() {
  const markers: DeployMarker[] = [];
  const over = new AbortController();
  for (const kind of ['costlyGroup', 'lostSessions'] as const)
    for (let minutes = 0; minutes <= 2_880; minutes += 10)
      deployOnTime({
        kind,
        madeAtMs: Date.now() - minutes * 60_000,
        set: () => {},
        mark: (marker) => markers.push(marker),
        signal: over.signal,
      });
  over.abort();
  expect(new Set(markers.map(({ title }) => title)).size).toBe(4);
  return markers;
}

describe('a marker', () => {
  it('of the demo is in the language of the reader, one that a person made is as it was written', () => {
    for (const { title, text } of [...pastMarkers(pastBefore(Date.UTC(2026, 10, 20))), ...deployMarkers()]) {
      expect(markerWords(ui, { demo: true, title, text })).toEqual({ title, text });
      const shown = markerWords(zh, { demo: true, title, text });
      expect(shown.title).toMatch(/\p{Script=Han}/u);
      if (text !== '') expect(shown.text).toMatch(/\p{Script=Han}/u);
      expect(markerWords(zh, { demo: false, title, text })).toEqual({ title, text });
    }
    expect(markerWords(zh, { demo: true, title: 'toString' }).title).toBe('toString');
  });
});

describe('a number', () => {
  it('always carries its unit', () => {
    expect(formatQuantity(ui, 31.24, 'ms')).toBe('31.2 ms');
    expect(formatQuantity(ui, 12_340, 'ms')).toBe('12.3 s');
    expect(formatQuantity(ui, 0.002, 'ms')).toBe('<0.01 ms');
    expect(formatQuantity(ui, 1, 'roundTrips')).toBe('1 RTT');
    expect(formatQuantity(zh, 1_860, 'count')).toBe('1,860 次');
  });

  it('that nobody measured is a dash, never 0', () => {
    expect(formatQuantity(ui, null, 'ms')).toBe('–');
    expect(formatQuantity(ui, 0, 'ms')).toBe('0.00 ms');
  });

  it('is 100% only where nothing failed', () => {
    expect(formatQuantity(ui, 1, 'ratio')).toBe('100%');
    expect(formatQuantity(ui, 0.99999, 'ratio')).toBe('99.99%');
  });
});

describe('a change', () => {
  it('shows its sign, and none for 0', () => {
    expect(formatChange('en', 0.047)).toBe('+4.7%');
    expect(formatChange('en', -0.12)).toBe('−12%');
    expect(formatChange('en', 0)).toBe('0%');
  });

  it('within the noise is neither good nor bad', () => {
    expect(verdict(0, 'ms')).toBe('same');
    expect(verdict(0.0199, 'ms')).toBe('same');
    expect(verdict(-0.0199, 'ms')).toBe('same');
    expect(verdict(null, 'ms')).toBe('none');
  });

  it('to more milliseconds is worse, to more availability better, to more probes neither', () => {
    expect(verdict(0.1, 'ms')).toBe('worse');
    expect(verdict(-0.1, 'ms')).toBe('better');
    expect(verdict(-0.1, 'ratio')).toBe('worse');
    expect(verdict(0.5, 'count')).toBe('same');
  });
});

describe('a line', () => {
  it('is named as people name it', () => {
    expect(locationName(zh, 'CN-BJ', 'mobile')).toBe('北京移动');
    expect(locationName(ui, 'CN-BJ', 'mobile')).toBe('Beijing Mobile');
  });

  it('abroad has the name of its country and its own label', () => {
    expect(regionName(zh, 'DE-BE')).toBe('德国 BE');
    expect(locationName(ui, 'DE-BE', 'vodafone')).toBe('Germany BE vodafone');
    expect(locationName(zh, 'US-CA', 'comcast')).toBe('美国 CA comcast');
  });
});

describe('a time', () => {
  const at = '2026-11-21T08:00:03.120Z';

  it('is shown in the zone of the reader', () => {
    expect(formatTime(at, 'Asia/Shanghai')).toBe('2026-11-21 16:00:03');
    expect(formatTime(at, 'UTC', 'millisecond')).toBe('2026-11-21 08:00:03.120');
    expect(zoneOffset('Asia/Shanghai', Date.parse(at))).toBe('UTC+08:00');
    expect(zoneOffset('UTC', Date.parse(at))).toBe('UTC+00:00');
  });

  it('typed into a field comes back as the same minute, also around a change to summer time', () => {
    for (const zone of ['UTC', 'Asia/Shanghai', 'America/New_York', 'Asia/Kolkata']) {
      for (const instant of [
        '2026-03-08T05:30:00Z',
        '2026-03-08T07:30:00Z',
        '2026-11-01T08:15:00Z',
        '2026-07-01T00:00:00Z',
      ]) {
        expect(parseLocal(toLocalField(instant, zone), zone), `${zone} ${instant}`).toBe(Date.parse(instant));
      }
    }
  });

  it('that is none is null', () => {
    expect(parseLocal('yesterday', 'UTC')).toBeNull();
    expect(parseLocal('2026-13-41T00:00Z', 'UTC')).toBeNull();
    expect(isTimeZone('Asia/Shanghai')).toBe(true);
    expect(isTimeZone('Mars/Olympus')).toBe(false);
  });
});
