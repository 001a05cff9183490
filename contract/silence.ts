import { z } from 'zod';
import { instant } from './bounds.ts';
import { INCIDENT_KINDS, IncidentKind } from './incident-vocabulary.ts';
import { Carrier, Region } from './location.ts';
import { Managed } from './managed.ts';
import { time } from './query.ts';

/** A window of maintenance lasts a week at most. */
export const MAX_SILENCE_MINUTES = 10_080;
/** Shortest and longest text of a cron expression of five fields. */
const MAX_CRON = 100;
/** Five fields, whatever stands in them. */
const CRON_FORM = String.raw`^[\w*?,/#-]+(\s+[\w*?,/#-]+){4}$`;

const TimeZone = z.string().max(64).refine(isTimeZone, 'must be a time zone by its IANA name, such as Asia/Shanghai');

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

const fields = {
  targetIds: z.array(z.uuid()).max(1_000).meta({ description: 'empty: all targets' }),
  regions: z.array(Region).max(500),
  carriers: z.array(Carrier).max(100),
  kinds: z.array(IncidentKind).max(INCIDENT_KINDS.length).meta({ description: 'empty: all kinds' }),
  startsAt: time,
  endsAt: time.nullable().meta({ description: 'after `startsAt`; null: until it is deleted' }),
  cron: z.string().trim().min(9).max(MAX_CRON).meta({ pattern: CRON_FORM }).nullable().meta({
    description: 'five fields: the silence starts at each of these times between startsAt and endsAt',
  }),
  durationMinutes: z.number().int().min(1).max(MAX_SILENCE_MINUTES).nullable().meta({
    description: 'duration of each occurrence; only with `cron`',
  }),
  timeZone: TimeZone.meta({ description: 'time zone of `cron`, by its IANA name' }),
  comment: z.string().trim().max(1_000),
};

/** What the schema says of `cron` and `durationMinutes`: both, or none. */
export const CRON_WITH_DURATION = {
  anyOf: [
    { properties: { cron: { type: 'null' }, durationMinutes: { type: 'null' } } },
    {
      required: ['cron', 'durationMinutes'],
      properties: { cron: { type: 'string' }, durationMinutes: { type: 'integer' } },
    },
  ],
} as const;

export const SilenceCreate = z
  .strictObject({
    targetIds: fields.targetIds.default([]),
    regions: fields.regions.default([]),
    carriers: fields.carriers.default([]),
    kinds: fields.kinds.default([]),
    startsAt: fields.startsAt.optional().meta({ description: 'default: now' }),
    endsAt: fields.endsAt.default(null),
    cron: fields.cron.default(null),
    durationMinutes: fields.durationMinutes.default(null),
    timeZone: fields.timeZone.default('UTC'),
    comment: fields.comment.default(''),
  })
  .meta({ id: 'SilenceCreate', ...CRON_WITH_DURATION });
export type SilenceCreate = z.infer<typeof SilenceCreate>;

/** Fields left out stay as they are. */
export const SilencePatch = z.strictObject(fields).partial().meta({ id: 'SilencePatch' });
export type SilencePatch = z.infer<typeof SilencePatch>;

export const Silence = z
  .object({
    id: z.uuid(),
    targetIds: z.array(z.uuid()),
    regions: z.array(z.string()),
    carriers: z.array(z.string()),
    kinds: z.array(IncidentKind),
    startsAt: instant,
    endsAt: instant.nullable(),
    cron: z.string().nullable(),
    durationMinutes: z.number().int().nullable(),
    timeZone: z.string(),
    comment: z.string(),
    createdBy: z.string().meta({ description: 'the name of the key, or `dashboard`' }),
    active: z.boolean().meta({ description: 'messages are suppressed now' }),
    nextAt: instant.nullable().meta({ description: 'next start; null: none' }),
    managed: Managed,
  })
  .meta({ id: 'Silence' });
export type Silence = z.infer<typeof Silence>;
