/** Countries (ISO 3166-1) whose clocks are China's for a detector; they need no look-up. */
const SHANGHAI_SECONDS = 8 * 3_600;

/** As Node has it, and TypeScript's library does not yet. */
type ZonesOfLocale = { getTimeZones?: () => string[] | undefined };

/** Clocks are put forward or back on whole half hours of UTC, so what holds at one instant of it holds for all of it. */
const HALF_HOUR_SECONDS = 1_800;

/** Half hours that are kept of each country: a replay goes through them in order, and never back far. */
const MOST_KEPT = 1_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const zones = new Map<string, string[]>();
const offsets = new Map<string, Map<number, number>>();

/**
 * Local time less UTC in a country at an instant (seconds since 1970), seconds. A country of several zones counts as the
 * one that most of its zones agree with; where the country is not known, as UTC.
 */
export function offsetOfCountry(country: string, timestamp: number): number {
  if (country === 'CN') return SHANGHAI_SECONDS;
  const halfHour = Math.floor(timestamp / HALF_HOUR_SECONDS);
  const known = offsets.get(country) ?? new Map<number, number>();
  offsets.set(country, known);
  const kept = known.get(halfHour);
  if (kept !== undefined) return kept;
  if (known.size >= MOST_KEPT) known.clear();
  const offset = lookUp(country, halfHour * HALF_HOUR_SECONDS);
  known.set(halfHour, offset);
  return offset;
}

/** Half a millisecond and more where a country has many zones. */
function lookUp(country: string, timestamp: number): number {
  return commonest(zonesOf(country).map((zone) => offsetOfZone(zone, timestamp))) ?? 0;
}

function zonesOf(country: string): string[] {
  const known = zones.get(country) ?? readZones(country);
  zones.set(country, known);
  return known;
}

function readZones(country: string): string[] {
  try {
    const locale: Intl.Locale & ZonesOfLocale = new Intl.Locale(`und-${country}`);
    return locale.getTimeZones?.() ?? [];
  } catch {
    return [];
  }
}

function offsetOfZone(timeZone: string, timestamp: number): number {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  const name = format.formatToParts(timestamp * 1_000).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
  const seconds = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60;
  return sign === '-' ? -seconds : seconds;
}

function commonest(values: number[]): number | undefined {
  const groups = [...Map.groupBy(values, (value) => value)];
  return groups.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
