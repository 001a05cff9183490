import { z } from 'zod';
import { readSetting } from './settings.ts';

const days = z.coerce.number().int().min(1).max(10_000);

/** How long each kind of data is kept, in days. */
export const Retention = z.object({
  rawDays: days.default(30),
  minuteDays: days.default(90),
  tenMinuteDays: days.default(180),
  hourDays: days.default(400),
  dayDays: days.default(1_825),
});
export type Retention = z.infer<typeof Retention>;

const VARIABLES = {
  rawDays: 'ROUNDTRIP_RETENTION_RAW_DAYS',
  minuteDays: 'ROUNDTRIP_RETENTION_MINUTE_DAYS',
  tenMinuteDays: 'ROUNDTRIP_RETENTION_TEN_MINUTE_DAYS',
  hourDays: 'ROUNDTRIP_RETENTION_HOUR_DAYS',
  dayDays: 'ROUNDTRIP_RETENTION_DAY_DAYS',
} as const;

const FRESH_MS = 60_000;
let cached: { at: number; value: Retention } | null = null;

/** Defaults, overridden by the Setting `retention`, overridden by the environment; looked up once a minute. */
export async function getRetention(): Promise<Retention> {
  if (cached && Date.now() - cached.at < FRESH_MS) return cached.value;
  const value = Retention.parse({ ...(await readSetting('retention')), ...fromEnvironment() });
  cached = { at: Date.now(), value };
  return value;
}

function fromEnvironment(): Record<string, string> {
  const given = Object.entries(VARIABLES).map(([name, variable]) => [name, process.env[variable]] as const);
  return Object.fromEntries(given.filter((entry): entry is [keyof Retention, string] => Boolean(entry[1])));
}
