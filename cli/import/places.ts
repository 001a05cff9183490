import { Carrier, CHINA_REGIONS, MAINLAND_REGIONS, NO_PART, Region } from '#contract/location.ts';
import { KNOWN_CARRIERS } from '#contract/vocabulary.ts';
import { MESSAGES } from '#i18n/translator.ts';
import { regionAround } from './cities.ts';

// Places and networks as other monitors name them, in English or Chinese, as the project's own codes.

const TEXTS = Object.values(MESSAGES);
const plain = (text: string) => text.trim().toLowerCase();

const ALIASES: Record<string, string> = { xizang: 'CN-XZ', neimenggu: 'CN-NM', 'nei mongol': 'CN-NM', macau: 'CN-MO' };
const REGIONS: readonly [name: string, code: string][] = [
  ...CHINA_REGIONS.flatMap((code) => TEXTS.map(({ region }): [string, string] => [plain(region[code]), code])),
  ...Object.entries(ALIASES),
];

/** `CN-GD`, `cn-gd`, `广东省` or `Guangdong` as the code of the region; null where it is none that is known. */
export function regionOf(text: string): string | null {
  const code = /^[a-z]{2}-/.test(text.trim()) ? text.trim().toUpperCase() : text.trim();
  return Region.safeParse(code).success ? code : regionNamed(plain(text));
}

function regionNamed(name: string): string | null {
  // What follows a name says what it is: 广东省, 广西壮族自治区, Hubei Province.
  const found = REGIONS.find(
    ([each]) => name === each || /^(省|市|.{0,4}自治区|特别行政区| province| city)$/.test(after(name, each)),
  );
  return found?.[1] ?? null;
}

const after = (name: string, begin: string) => (name.startsWith(begin) ? name.slice(begin.length) : '');

const COUNTRIES = new Map<string, string>();

/** `CN`, `cn`, `中国` or `China` as the code of the country; null where it is none. */
export function countryOf(text: string): string | null {
  if (/^[a-z]{2}$/i.test(text.trim())) return text.trim().toUpperCase();
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

/** Networks by what their names have in common: carriers of China, and others that have names of their own. */
const NETWORKS: [RegExp, string][] = [
  [/chinanet|(china|中国) ?(telecom|电信)/, 'telecom'],
  [/china169|cnc ?group|(china|中国) ?(unicom|联通)/, 'unicom'],
  [/cmnet|(china|中国) ?(mobile|移动)/, 'mobile'],
  [/cernet|china education|中国教育/, 'cernet'],
  [/(china|中国) ?(broadnet|广电)/, 'broadnet'],
  [/阿里|aliyun|alibaba/, 'alibaba'],
  [/腾讯|tencent/, 'tencent'],
  [/华为|huawei/, 'huawei'],
  [/百度|baidu/, 'baidu'],
  [/鹏博士|dr\.? ?peng/, 'drpeng'],
  [/长城宽带|great wall broadband/, 'gwbn'],
  [/多线|^bgp$/, 'bgp'],
];
/** A carrier of China after the name of a place: 广东电信, 北京市联通. */
const PLACED = /^(.+)(电信|联通|移动|教育网|广电)$/;

/**
 * `telecom`, `电信`, `中国电信`, `广东电信` or `CHINANET` as the name of the carrier, by the first of these names that is known; of another
 * network a name of its letters, `other` where it has none; null where no name is given.
 */
export function carrierOf(...texts: (string | null | undefined)[]): string | null {
  const names = texts.map((text) => plain(text ?? '')).filter((name) => name !== '');
  if (names.length === 0) return null;
  const known = names.map(knownCarrier).find((carrier) => carrier !== null);
  return known ?? names.map(lettersOf).find((letters) => letters !== null) ?? 'other';
}

function knownCarrier(name: string): string | null {
  const [, place, ending] = PLACED.exec(name) ?? [];
  const around = place ? regionOfCity(place) : null;
  const own = ending && MAINLAND_REGIONS.some((region) => region === around) ? ending : name;
  const known = KNOWN_CARRIERS.find((carrier) =>
    TEXTS.some((texts) => [carrier, plain(texts.carrier[carrier]), plain(texts.carrierFull[carrier])].includes(own)),
  );
  return known ?? NETWORKS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** A name in Latin letters as that of a carrier; null for one in others. */
function lettersOf(name: string): string | null {
  if (/[^\u0020-\u024f]/.test(name)) return null;
  const words = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 64);
  return Carrier.safeParse(words).success ? words : null;
}

/** Those that are cities, whose parts have names of their own: 北京市朝阳区. */
const MUNICIPALITIES = ['CN-BJ', 'CN-TJ', 'CN-SH', 'CN-CQ'];

/** The region of a city of China, by its name in Chinese, also after that of its region (广东省广州市), or in Latin letters; null where it is not known. */
export function regionOfCity(city: string): string | null {
  const name = plain(city).replace(/市$/, '');
  const known = regionAround(name) ?? regionNamed(name);
  if (known) return known;
  const found = REGIONS.find(([region, code]) => {
    const rest = after(name, region).replace(/^(省|市|.{0,4}自治区)/, '');
    return rest !== '' && (MUNICIPALITIES.includes(code) || regionAround(rest) === code);
  });
  return found?.[1] ?? null;
}
