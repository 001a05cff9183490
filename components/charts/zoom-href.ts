/** The shortest range that can be selected, ms. */
const LEAST_MS = 5 * 60_000;
const MINUTE = 60_000;

/** Address of a part of the range, ms since 1970: whole minutes, at least five of them. */
export function zoomHref(base: string, from: number, to: number): string {
  const [path, query] = base.split('?');
  const params = new URLSearchParams(query);
  const missing = Math.max(0, LEAST_MS - (to - from)) / 2;
  const start = Math.floor((from - missing) / MINUTE) * MINUTE;
  params.delete('range');
  params.set('from', new Date(start).toISOString());
  params.set('to', new Date(Math.max(start + LEAST_MS, Math.ceil(to / MINUTE) * MINUTE)).toISOString());
  return `${path}?${params}`;
}
