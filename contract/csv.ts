/** What is not written as it stands: most texts are. */
const SPECIAL = /^[=+\-@\t]|[",\r\n]/;

/**
 * A text as a field of CSV (RFC 4180). One that begins like a formula has a quote in front, which keeps it text: a spreadsheet would run it,
 * and servers choose such texts.
 */
export function csvText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
