import { describe, expect, it } from 'vitest';
import { CHINA_REGIONS } from '#contract/location.ts';
import {
  ACCESS_TYPES,
  CHAIN_PROBLEMS,
  FAILURE_REASONS,
  FAILURE_SOURCES,
  FINDING_CODES,
  HTTP_ODDITIES,
  KNOWN_CARRIERS,
  METRICS,
  PHASES,
  STAPLE_STATUSES,
  STATS,
  UNITS,
  VARIANTS,
} from '#contract/vocabulary.ts';
import { LOCALES, type Locale } from '#i18n/locale.ts';
import { MESSAGES, translator } from '#i18n/translator.ts';

type Tree = { [key: string]: string | Tree };

/** Every message by its path, such as `target.trend`. */
function flat(tree: Tree, path = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : flat(value, `${path}${key}.`),
  );
}

const placeholders = (message: string) =>
  [...new Set([...message.matchAll(/\{\s*([a-z]\w*)\s*[,}]/gi)].map(([, name]) => name))].sort();

const isCounted = (message: string, name: string) => new RegExp(`\\{${name}, (plural|number)`).test(message);

const all = Object.fromEntries(LOCALES.map((locale) => [locale, new Map(flat(MESSAGES[locale]))])) as Record<
  Locale,
  Map<string, string>
>;

describe('messages', () => {
  it.each(LOCALES)('have the same keys in %s as in English', (locale) => {
    expect([...all[locale].keys()].sort()).toEqual([...all.en.keys()].sort());
  });

  it.each(LOCALES)('take the same placeholders in %s as in English', (locale) => {
    const differing = [...all.en]
      .filter(([key, message]) => placeholders(message).join() !== placeholders(all[locale].get(key) ?? '').join())
      .map(([key]) => key);
    expect(differing).toEqual([]);
  });

  it('are never empty, and no Chinese one was left in English', () => {
    for (const locale of LOCALES) {
      expect([...all[locale]].filter(([, message]) => message.trim() === '')).toEqual([]);
    }
    const english = [...all['zh-CN']].filter(([, message]) => / [a-z]+ [a-z]+ [a-z]+ /.test(message));
    expect(english).toEqual([]);
  });

  it('have one Chinese term for a thing', () => {
    const others = /(?<!Open)(?<!（)SSL|线路|个往返(?!时间)|无用(?!的)|握手结构|常态|平静/;
    expect([...all['zh-CN']].filter(([, message]) => others.test(message))).toEqual([]);
  });

  it('set Chinese and Latin text apart by a space, also where a value is filled in', () => {
    const joint = /[A-Za-z0-9]\p{Script=Han}|\p{Script=Han}[A-Za-z0-9]/u;
    const t = translator('zh-CN') as (key: string, values: Record<string, number | string>) => string;
    const joined = [...all['zh-CN']].flatMap(([key, message]) => {
      // Plurals need a number, and of a word any branch will do.
      const texts = [3, 'TLS'].map((value) => {
        const values = placeholders(message).map((name) => [name, isCounted(message, `${name}`) ? 3 : value]);
        return t(key, Object.fromEntries(values));
      });
      return [message, ...texts].filter((text) => joint.test(text.replaceAll(/\{\w+,.*/gu, '')));
    });
    expect(joined).toEqual([]);
    expect(t('spread.title', { metric: 'TLS' })).toBe('TLS 分布');
    expect(t('spread.title', { metric: '首包' })).toBe('首包分布');
    expect(t('trend.lines', { metric: 'TLS', stat: 'P95' })).toBe('各序列 TLS P95');
    expect(t('location', { region: '美国 CA', carrier: 'comcast' })).toBe('美国 CA comcast');
    const against = (verdict: string) => t('comparison.mixture.against', { part: '', share: '3%', verdict });
    for (const verdict of ['+12%', '−12%']) expect(against(verdict)).toMatch(`相比 ${verdict}`);
  });

  it('set no Chinese texts that meet apart, but for two values where a space is written', () => {
    const t = translator('zh-CN') as (key: string, values: Record<string, number | string>) => string;
    const apart = [...all['zh-CN']]
      .filter(([, message]) => !/\} [{}]|\{time\}\{n,/.test(message))
      .map(([key, message]) => {
        const values = placeholders(message).map((name) => [name, isCounted(message, `${name}`) ? 3 : '建连']);
        return t(key, Object.fromEntries(values));
      });
    expect(apart.filter((text) => /\p{Script=Han} \p{Script=Han}/u.test(text))).toEqual([]);
    const words = { metric: '首包', stat: '最大值' };
    expect(t('target.mapTitle', { map: 'world', ...words })).toBe('各国家/地区首包最大值');
    expect(t('rules.said.above', { minutes: 10, value: '3 ms', ...words })).toBe('10 分钟内首包最大值高于 3 ms');
    expect(t('trend.phasesNote', words)).toBe('各阶段的最大值堆叠。各阶段最大值之和不等于总耗时的最大值。');
    expect(t('explanation.value', { dimension: '运营商', value: '电信' })).toBe('运营商 电信');
  });

  it('can be formatted with every placeholder given', () => {
    for (const locale of LOCALES) {
      const t = translator(locale) as (key: string, values: Record<string, number>) => string;
      for (const [key, message] of all[locale]) {
        const values = Object.fromEntries(placeholders(message).map((name) => [name, 3]));
        expect(t(key, values), `${locale} ${key}`).not.toMatch(/[{}]|undefined/);
      }
    }
  });
});

describe('every word of the contract has a message in every language', () => {
  const vocabulary: Record<string, readonly string[]> = {
    metric: METRICS,
    metricDef: METRICS,
    stat: STATS,
    statDef: STATS,
    statOption: STATS,
    unit: UNITS,
    carrier: KNOWN_CARRIERS,
    carrierFull: KNOWN_CARRIERS,
    access: ACCESS_TYPES,
    failure: FAILURE_REASONS,
    failureSource: FAILURE_SOURCES,
    staple: STAPLE_STATUSES,
    stapleDef: STAPLE_STATUSES,
    finding: FINDING_CODES,
    findingDef: FINDING_CODES,
    httpOddity: HTTP_ODDITIES,
    variant: VARIANTS,
    variantDef: VARIANTS,
    chainProblem: CHAIN_PROBLEMS,
    severity: ['info', 'warning', 'critical'],
    region: CHINA_REGIONS,
  };

  it.each(Object.entries(vocabulary))('%s', (namespace, words) => {
    for (const locale of LOCALES) {
      const missing = words.filter((word) => !all[locale].has(`${namespace}.${word}`));
      expect(missing, locale).toEqual([]);
    }
  });

  it('phases are metrics, so that they share names and definitions', () => {
    expect(PHASES.filter((phase) => !METRICS.includes(phase))).toEqual([]);
  });
});
