import type { Language } from '#contract/webhook.ts';

// As pages name them: a server must not import the pages' texts, so a test compares the two.

const REGIONS: Record<string, Record<Language, string>> = {
  'CN-BJ': { en: 'Beijing', 'zh-CN': '北京' },
  'CN-TJ': { en: 'Tianjin', 'zh-CN': '天津' },
  'CN-HE': { en: 'Hebei', 'zh-CN': '河北' },
  'CN-SX': { en: 'Shanxi', 'zh-CN': '山西' },
  'CN-NM': { en: 'Inner Mongolia', 'zh-CN': '内蒙古' },
  'CN-LN': { en: 'Liaoning', 'zh-CN': '辽宁' },
  'CN-JL': { en: 'Jilin', 'zh-CN': '吉林' },
  'CN-HL': { en: 'Heilongjiang', 'zh-CN': '黑龙江' },
  'CN-SH': { en: 'Shanghai', 'zh-CN': '上海' },
  'CN-JS': { en: 'Jiangsu', 'zh-CN': '江苏' },
  'CN-ZJ': { en: 'Zhejiang', 'zh-CN': '浙江' },
  'CN-AH': { en: 'Anhui', 'zh-CN': '安徽' },
  'CN-FJ': { en: 'Fujian', 'zh-CN': '福建' },
  'CN-JX': { en: 'Jiangxi', 'zh-CN': '江西' },
  'CN-SD': { en: 'Shandong', 'zh-CN': '山东' },
  'CN-HA': { en: 'Henan', 'zh-CN': '河南' },
  'CN-HB': { en: 'Hubei', 'zh-CN': '湖北' },
  'CN-HN': { en: 'Hunan', 'zh-CN': '湖南' },
  'CN-GD': { en: 'Guangdong', 'zh-CN': '广东' },
  'CN-GX': { en: 'Guangxi', 'zh-CN': '广西' },
  'CN-HI': { en: 'Hainan', 'zh-CN': '海南' },
  'CN-CQ': { en: 'Chongqing', 'zh-CN': '重庆' },
  'CN-SC': { en: 'Sichuan', 'zh-CN': '四川' },
  'CN-GZ': { en: 'Guizhou', 'zh-CN': '贵州' },
  'CN-YN': { en: 'Yunnan', 'zh-CN': '云南' },
  'CN-XZ': { en: 'Tibet', 'zh-CN': '西藏' },
  'CN-SN': { en: 'Shaanxi', 'zh-CN': '陕西' },
  'CN-GS': { en: 'Gansu', 'zh-CN': '甘肃' },
  'CN-QH': { en: 'Qinghai', 'zh-CN': '青海' },
  'CN-NX': { en: 'Ningxia', 'zh-CN': '宁夏' },
  'CN-XJ': { en: 'Xinjiang', 'zh-CN': '新疆' },
  'CN-HK': { en: 'Hong Kong', 'zh-CN': '香港' },
  'CN-MO': { en: 'Macao', 'zh-CN': '澳门' },
  'CN-TW': { en: 'Taiwan', 'zh-CN': '台湾' },
};

const CARRIERS: Record<string, Record<Language, string>> = {
  telecom: { en: 'Telecom', 'zh-CN': '电信' },
  unicom: { en: 'Unicom', 'zh-CN': '联通' },
  mobile: { en: 'Mobile', 'zh-CN': '移动' },
  cernet: { en: 'CERNET', 'zh-CN': '教育网' },
  broadnet: { en: 'Broadnet', 'zh-CN': '广电' },
  other: { en: 'Other', 'zh-CN': '其他' },
  local: { en: 'Local', 'zh-CN': '本地' },
};

/** `广东` or `Guangdong`; a region outside China is its country's name and its code. */
export function regionName(region: string, language: Language): string {
  const known = Object.hasOwn(REGIONS, region) ? REGIONS[region] : undefined;
  if (known) return known[language];
  const [country = region, part] = region.split('-');
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'code' });
  const label = /^[A-Z]{2}$/.test(country) ? (names.of(country) ?? country) : country;
  return part ? `${label} ${part}` : label;
}

/** `电信` or `Telecom`; a carrier abroad by the name that its label has. */
export const carrierName = (carrier: string, language: Language): string =>
  (Object.hasOwn(CARRIERS, carrier) ? CARRIERS[carrier]?.[language] : undefined) ?? carrier;

type Place = { region?: string | null | undefined; carrier?: string | null | undefined };

/** `广东电信`, `Guangdong Telecom`; empty where neither is known. */
export function placeName({ region, carrier }: Place, language: Language): string {
  const parts = [region && regionName(region, language), carrier && carrierName(carrier, language)].filter(Boolean);
  return parts.join(language === 'zh-CN' ? '' : ' ');
}
