import { readSetting } from '#server/database/settings.ts';
import { instantOf } from './range.ts';

/** Up to when what is asked for of a target was generated and not measured (RFC 3339); null where all was measured. */
export async function generatedUntil(target: { demo: boolean }, range: { from: number }): Promise<string | null> {
  if (!target.demo) return null;
  const past = await readSetting('demo_past');
  return past && range.from < past.to ? instantOf(past.to) : null;
}
