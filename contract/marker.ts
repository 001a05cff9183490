import { z } from 'zod';
import { addressPattern, instant } from './bounds.ts';
import { CompareMinutes } from './comparison.ts';
import { ordered, orderedError, PageQuery, time } from './query.ts';

/** Most characters of a marker's words. */
const MAX_TITLE = 200;
const MAX_TEXT = 5_000;

/** An address that a page may link to: nothing that a browser would run. */
const Link = z
  .string()
  .max(2_048)
  .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'must be an http or https URL')
  .meta({ pattern: addressPattern('https?') });

export const MarkerCreate = z
  .strictObject({
    at: time.optional().meta({ description: 'default: now' }),
    targetId: z.uuid().nullable().default(null).meta({ description: 'null: applies to all targets' }),
    title: z.string().trim().min(1).max(MAX_TITLE),
    text: z.string().max(MAX_TEXT).default(''),
    url: Link.nullable().default(null),
    compareMinutes: CompareMinutes.optional().meta({
      description: 'compares so many minutes before the marker with as many after it; needs `targetId`',
    }),
  })
  .refine(({ compareMinutes, targetId }) => compareMinutes === undefined || targetId !== null, {
    path: ['compareMinutes'],
    error: 'needs targetId',
  })
  .meta({
    id: 'MarkerCreate',
    dependentSchemas: {
      compareMinutes: { required: ['targetId'], properties: { targetId: { type: 'string' } } },
    },
  });
export type MarkerCreate = z.infer<typeof MarkerCreate>;

/** A deploy or a change of configuration at a time. */
export const Marker = z
  .object({
    id: z.uuid(),
    at: instant,
    targetId: z.uuid().nullable(),
    title: z.string(),
    text: z.string(),
    url: z.string().nullable(),
    createdBy: z.string().meta({ description: 'the name of the key, or `dashboard`' }),
    demo: z.boolean(),
    comparisonId: z.uuid().nullable().meta({ description: 'of the latest comparison around it; null: none' }),
  })
  .meta({ id: 'Marker' });
export type Marker = z.infer<typeof Marker>;

export const MarkersQuery = z
  .strictObject({
    ...PageQuery.shape,
    target: z.uuid().optional().meta({ description: 'markers of this target and of all targets' }),
    from: time.optional(),
    to: time.optional(),
  })
  .refine(ordered, orderedError)
  .meta({ id: 'MarkersQuery' });
export type MarkersQuery = z.infer<typeof MarkersQuery>;
