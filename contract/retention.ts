import { z } from 'zod';

/** The longest that anything is kept, days. */
export const MOST_DAYS = 10_000;

/**
 * Every class of data that is kept for a time: the default in days, and the environment variable that fixes it. `oddDays`: of
 * results, those that failed or have a finding that is rare around them; never shorter than the others.
 */
export const RETENTION_CLASSES = {
  rawDays: { default: 30, variable: 'ROUNDTRIP_RETENTION_RAW_DAYS' },
  oddDays: { default: 90, variable: 'ROUNDTRIP_RETENTION_ODD_DAYS' },
  minuteDays: { default: 90, variable: 'ROUNDTRIP_RETENTION_MINUTE_DAYS' },
  tenMinuteDays: { default: 180, variable: 'ROUNDTRIP_RETENTION_TEN_MINUTE_DAYS' },
  hourDays: { default: 400, variable: 'ROUNDTRIP_RETENTION_HOUR_DAYS' },
  dayDays: { default: 1_825, variable: 'ROUNDTRIP_RETENTION_DAY_DAYS' },
  incidentDays: { default: 1_825, variable: 'ROUNDTRIP_RETENTION_INCIDENT_DAYS' },
  detectionDays: { default: 1_825, variable: 'ROUNDTRIP_RETENTION_DETECTION_DAYS' },
  deliveryDays: { default: 30, variable: 'ROUNDTRIP_RETENTION_DELIVERY_DAYS' },
} as const satisfies Record<string, { default: number; variable: `ROUNDTRIP_RETENTION_${string}_DAYS` }>;

export type RetentionClass = keyof typeof RETENTION_CLASSES;
export const RETENTION_CLASS_NAMES = Object.keys(RETENTION_CLASSES) as [RetentionClass, ...RetentionClass[]];

const perClass = <T extends z.ZodType>(value: T) =>
  Object.fromEntries(RETENTION_CLASS_NAMES.map((name) => [name, value])) as Record<RetentionClass, T>;

/** New lengths, days; null: the default again. What is left out stays as it is. */
export const RetentionPatch = z
  .strictObject(
    perClass(
      z
        .int()
        .min(1)
        .max(MOST_DAYS)
        .nullable()
        .optional()
        .meta({ description: `Days, 1 to ${MOST_DAYS}; null: the default` }),
    ),
  )
  .meta({ id: 'RetentionPatch' });
export type RetentionPatch = z.infer<typeof RetentionPatch>;

const bytes = (description: string) => z.number().nullable().meta({ description });

export const RetainedClass = z
  .object({
    name: z.enum(RETENTION_CLASS_NAMES),
    days: z.int(),
    defaultDays: z.int(),
    setBy: z.enum(['default', 'setting', 'environment']),
    bytes: z.number().meta({ description: 'On disk now, indexes included' }),
    bytesPerDay: bytes('How much a day of it takes, from the newest whole days; null before there is one'),
    bytesWhenFull: bytes('What so many days take at that rate; null before it is known'),
  })
  .meta({ id: 'RetainedClass' });
export type RetainedClass = z.infer<typeof RetainedClass>;

export const Retention = z
  .object({
    classes: z.array(RetainedClass),
    databaseBytes: z.number().meta({ description: 'The whole database on disk' }),
    freeBytes: bytes('Free on the disk of the database; null where the database is on another machine'),
    fullInDays: z.int().nullable().meta({
      description: 'Days until the disk is full at these lengths and rates; null where it suffices or is not known',
    }),
  })
  .meta({ id: 'Retention' });
export type Retention = z.infer<typeof Retention>;
