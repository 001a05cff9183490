import { Carrier, CHINA_REGIONS, NO_PART, Region } from '#contract/location.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { MESSAGES } from '#i18n/translator.ts';

// Places and networks as other monitors name them, in English or Chinese, as the project's own codes.

const TEXTS = Object.values(MESSAGES);
const plain = (text: string) => text.trim().toLowerCase();

const ALIASES: Record<string, string> = { xizang: 'CN-XZ', neimenggu: 'CN-NM', 'nei mongol': 'CN-NM', macau: 'CN-MO' };
const REGIONS: readonly [name: string, code: string][] = [
  ...CHINA_REGIONS.flatMap((code) => TEXTS.map(({ region }): [string, string] => [plain(region[code]), code])),
  ...Object.entries(ALIASES),
];

/** `CN-GD`, `广东省` or `Guangdong` as the code of the region; null where it is none that is known. */
export function regionOf(text: string): string | null {
  if (Region.safeParse(text.trim()).success) return text.trim();
  const name = plain(text);
  // What follows a name says what it is: 广东省, 广西壮族自治区, Hubei Province.
  const found = REGIONS.find(
    ([each]) => name === each || /^(省|市|.{0,4}自治区|特别行政区| province| city)$/.test(after(name, each)),
  );
  return found?.[1] ?? null;
}

const after = (name: string, begin: string) => (name.startsWith(begin) ? name.slice(begin.length) : '');

const COUNTRIES = new Map<string, string>();

/** `CN`, `中国` or `China` as the code of the country; null where it is none. */
export function countryOf(text: string): string | null {
  if (/^[A-Z]{2}$/.test(text.trim())) return text.trim();
  if (COUNTRIES.size === 0) {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const pairs = letters.flatMap((first) => letters.map((second) => first + second));
    // Codes of countries that are no more stand for another one.
    const codes = pairs.filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`);
    for (const language of Object.keys(MESSAGES)) {
      const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
      for (const code of codes) {
        const name = names.of(code);
        if (name && !COUNTRIES.has(plain(name))) COUNTRIES.set(plain(name), code);
      }
    }
  }
  return COUNTRIES.get(plain(text)) ?? null;
}

/** Country and region: Hong Kong, Macao and Taiwan are regions of China, whichever code they were given. */
export function placedIn(country: string, region: string | null): { country: string; region: string } {
  if (['HK', 'MO', 'TW'].includes(country)) return { country: 'CN', region: `CN-${country}` };
  return { country, region: region ?? `${country}-${NO_PART}` };
}

const NETWORKS: [RegExp, (typeof KNOWN_CARRIERS)[number]][] = [
  [/chinanet|(china|中国) ?(telecom|电信)/, 'telecom'],
  [/china169|cnc ?group|(china|中国) ?(unicom|联通)/, 'unicom'],
  [/cmnet|(china|中国) ?(mobile|移动)/, 'mobile'],
  [/cernet|china education/, 'cernet'],
  [/(china|中国) ?(broadnet|广电)/, 'broadnet'],
];

/** `telecom`, `电信`, `中国电信` or `CHINANET` as the name of the carrier; of another network a name of its letters, null where it has none. */
export function carrierOf(text: string): string | null {
  const name = plain(text);
  const known = KNOWN_CARRIERS.find((carrier) =>
    TEXTS.some((texts) => [carrier, plain(texts.carrier[carrier]), plain(texts.carrierFull[carrier])].includes(name)),
  );
  const network = known ?? NETWORKS.find(([pattern]) => pattern.test(name))?.[1];
  if (network) return network;
  if (/[^\u0020-\u024f]/.test(name)) return null;
  const words = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64);
  return Carrier.safeParse(words).success ? words : null;
}

/** Cities from which others measure, by their province. */
const CITIES: Record<string, string> = {
  'CN-GD': 'guangzhou shenzhen dongguan foshan zhuhai huizhou shantou zhanjiang',
  'CN-ZJ': 'hangzhou ningbo wenzhou jiaxing shaoxing jinhua huzhou quzhou lishui',
  'CN-JS': 'nanjing suzhou wuxi changzhou xuzhou zhenjiang yangzhou nantong suqian yancheng huaian lianyungang',
  'CN-SD': 'jinan qingdao zibo weifang yantai linyi',
  'CN-SC': 'chengdu mianyang deyang yaan',
  'CN-HB': 'wuhan shiyan xiangyang yichang',
  'CN-HN': 'changsha hengyang zhuzhou',
  'CN-HA': 'zhengzhou luoyang xinxiang',
  'CN-HE': 'shijiazhuang zhangjiakou langfang baoding tangshan',
  'CN-FJ': 'fuzhou xiamen quanzhou',
  'CN-LN': 'shenyang dalian',
  'CN-SN': "xi'an xian",
  'CN-AH': 'hefei wuhu',
  'CN-JX': 'nanchang jiujiang',
  'CN-JL': 'changchun',
  'CN-HL': 'harbin',
  'CN-SX': 'taiyuan',
  'CN-NM': 'hohhot ulanqab baotou',
  'CN-GS': 'lanzhou qingyang',
  'CN-QH': 'xining',
  'CN-NX': 'yinchuan zhongwei',
  'CN-XJ': 'urumqi',
  'CN-XZ': 'lhasa',
  'CN-YN': 'kunming',
  'CN-GZ': 'guiyang',
  'CN-GX': 'nanning guilin',
  'CN-HI': 'haikou sanya',
};

/** The province of a city of China by its name in Latin letters; a municipality is its own. */
export function regionOfCity(city: string): string | null {
  const name = plain(city);
  const found = Object.entries(CITIES).find(([, names]) => names.split(' ').includes(name));
  return found?.[0] ?? regionOf(city);
}
