/** Countries (ISO 3166-1) whose clocks are China's for a detector; they need no look-up. */
const SHANGHAI_SECONDS = 8 * 3_600;

/** As Node has it, and TypeScript's library does not yet. */
type ZonesOfLocale = { getTimeZones?: () => string[] | undefined };

const formats = new Map<string, Intl.DateTimeFormat | null>();

/**
 * Local time less UTC in a country at an instant, seconds. A country of several zones counts as the one that most of its
 * zones agree with; where the country is not known, as UTC.
 */
export function offsetOfCountry(country: string, timestamp: number): number {
  if (country === 'CN') return SHANGHAI_SECONDS;
  const offsets = zonesOf(country).map((zone) => offsetOfZone(zone, timestamp));
  return commonest(offsets) ?? 0;
}

function zonesOf(country: string): string[] {
  try {
    const locale: Intl.Locale & ZonesOfLocale = new Intl.Locale(`und-${country}`);
    return locale.getTimeZones?.() ?? [];
  } catch {
    return [];
  }
}

function offsetOfZone(timeZone: string, timestamp: number): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timeZone, format);
  }
  const name = format?.formatToParts(timestamp * 1_000).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
  const seconds = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60;
  return sign === '-' ? -seconds : seconds;
}

function commonest(values: number[]): number | undefined {
  const groups = [...Map.groupBy(values, (value) => value)];
  return groups.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
