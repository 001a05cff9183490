import { z } from 'zod';
import { rfc3339 } from './bounds.ts';
import { Carrier, Region } from './location.ts';
import { ACCESS_TYPES, AccessType, MEASURED_VARIANTS, Metric, Stat, Unit, VARIANTS } from './vocabulary.ts';

/** Largest page of a list. */
export const MAX_LIMIT = 1_000;
/** Most points that one line of a series may have. */
export const MAX_POINTS = 2_000;
/** Longest range of a series or matrix, in days. */
export const MAX_RANGE_DAYS = 400;

/** Instants end here, UTC and whatever their text says: what is added to one (a window, a pause) still has a year of four digits. */
export const END_OF_TIME = Date.UTC(9_001, 0, 1);

// PostgreSQL knows no year 0, and nothing was measured before 1970.
export const time = rfc3339.refine((value) => {
  const at = Date.parse(value);
  return !(at < 0 || at >= END_OF_TIME);
}, 'must lie in the years 1970 to 9000');
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
/** `a,b,c` in a query string as a list. */
export const list = <T extends z.ZodType<unknown, string>>(item: T, max: number) =>
  z.preprocess((value) => String(value).split(',').filter(Boolean), z.array(item).max(max));

/** Most ids that a query may name. */
export const MAX_IDS = 100;
/** `?ids=a,b,c` of a list. */
export const ids = list(z.uuid(), MAX_IDS).optional().meta({ description: 'only these' });

type Range = { from?: string | undefined; to?: string | undefined };
export const ordered = (range: Range) => !range.from || !range.to || Date.parse(range.from) < Date.parse(range.to);
export const orderedError = { path: ['from'], error: 'must be before to' };

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(100),
  cursor: z.string().max(500).optional().meta({ description: '`nextCursor` of the page before, of the same list' }),
});
export type PageQuery = z.infer<typeof PageQuery>;
/** A page of what has names, of those of one name alone where it is given. */
export const NamedQuery = PageQuery.extend({
  name: z.string().min(1).max(200).optional().meta({ description: 'only those of exactly this name' }),
});
export type NamedQuery = z.infer<typeof NamedQuery>;

export const handshakes = z.enum(MEASURED_VARIANTS).default('main').meta({
  description:
    'which handshakes of the checks; those beside `main` are made where the settings of a target ask for them',
});

export const locationFilter = {
  vantage: z.uuid().optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional(),
  region: list(Region, 100).optional(),
  carrier: list(Carrier, 100).optional(),
  access: list(AccessType, ACCESS_TYPES.length).optional(),
};

/** Of a query with `format=csv`. */
const bom = flag.optional().meta({
  description: 'CSV begins with a byte order mark, without which Excel takes its UTF-8 for another encoding',
});

const resultsFilter = {
  ids,
  target: z.uuid().optional(),
  ...locationFilter,
  ok: flag.optional(),
  variant: z
    .enum([...VARIANTS, 'all'])
    .default('all')
    .meta({ description: 'which handshakes of the checks; statistics are based on `main`' }),
  mainId: z.uuid().optional().meta({ description: 'results that follow this `main` one' }),
  from: time.optional(),
  to: time.optional(),
};

/** What was asked for by `format=csv` before there were exports is answered as they are. */
const before = { deprecated: true, description: 'ask `/api/v1/exports/` for other forms' } as const;

export const ResultsQuery = z
  .strictObject({
    ...PageQuery.shape,
    ...resultsFilter,
    format: z.enum(['json', 'csv', 'ndjson']).default('json').meta(before),
    bom: flag.optional().meta(before),
  })
  .refine(ordered, orderedError)
  .meta({ id: 'ResultsQuery' });
export type ResultsQuery = z.infer<typeof ResultsQuery>;

export const EXPORT_FORMATS = ['csv', 'ndjson', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const ResultsExportQuery = z
  .strictObject({ ...resultsFilter, format: z.enum(EXPORT_FORMATS).default('csv'), bom })
  .refine(ordered, orderedError)
  .meta({ id: 'ResultsExportQuery' });
export type ResultsExportQuery = z.infer<typeof ResultsExportQuery>;

export const ComparisonQuery = z.strictObject({
  format: z.enum(['json', 'csv']).default('json').meta(before),
  bom: flag.optional().meta(before),
});
export const ComparisonExportQuery = z.strictObject({ format: z.enum(['csv']).default('csv'), bom });

/** A range and nothing else; the last 24 hours where left out. */
export const range = z
  .strictObject({
    from: time.optional().meta({ description: 'default: 24 hours before `to`' }),
    to: time.optional().meta({ description: 'default: now' }),
  })
  .refine(ordered, orderedError);

/** Ranges by name, as pages offer them. */
export const RANGES = ['1h', '6h', '24h', '7d', '30d'] as const;
export type NamedRange = (typeof RANGES)[number];
const RANGE_MINUTES: Record<NamedRange, number> = { '1h': 60, '6h': 360, '24h': 1_440, '7d': 10_080, '30d': 43_200 };

/** Ends with the minute that is running, so that the newest results are in. `now` in ms since 1970. */
export function presetRange(range: NamedRange, now: number): { range: NamedRange; from: string; to: string } {
  const end = Math.ceil(now / 60_000) * 60_000;
  return {
    range,
    from: new Date(end - RANGE_MINUTES[range] * 60_000).toISOString(),
    to: new Date(end).toISOString(),
  };
}

export const GROUP_KEYS = ['country', 'region', 'carrier', 'vantage'] as const;

export const SeriesQuery = z
  .strictObject({
    target: z.uuid(),
    metric: Metric.default('tls'),
    stat: Stat.default('p50'),
    variant: handshakes,
    from: time.optional().meta({ description: 'default: 24 hours before `to`' }),
    to: time.optional().meta({ description: 'default: now' }),
    step: z.coerce
      .number()
      .int()
      .min(60)
      .max(86_400)
      .multipleOf(60)
      .optional()
      .meta({ description: `seconds; default: depends on the range, of which there are at most ${MAX_POINTS}` }),
    groupBy: list(z.enum(GROUP_KEYS), 4).default([]),
    ...locationFilter,
  })
  .refine(ordered, orderedError)
  .meta({ id: 'SeriesQuery' });
export type SeriesQuery = z.infer<typeof SeriesQuery>;

export const MatrixQuery = z
  .strictObject({
    target: z.uuid(),
    metric: Metric.default('tls'),
    stat: Stat.default('p50'),
    variant: handshakes,
    from: time.optional(),
    to: time.optional(),
    compareFrom: time.optional().meta({ description: 'with `compareTo`' }),
    compareTo: time.optional().meta({ description: 'with `compareFrom`' }),
    ...locationFilter,
  })
  .refine(ordered, orderedError)
  .refine((q) => ordered({ from: q.compareFrom, to: q.compareTo }), {
    path: ['compareFrom'],
    error: 'compareFrom must be before compareTo',
  })
  .refine((q) => Boolean(q.compareFrom) === Boolean(q.compareTo), {
    path: ['compareTo'],
    error: 'compareFrom and compareTo must be given together',
  })
  .meta({ id: 'MatrixQuery' });
export type MatrixQuery = z.infer<typeof MatrixQuery>;

/** `[instant, value, n]`: value is null and n is 0 where nothing was measured. */
export const SeriesPoint = z.tuple([z.string(), z.number().nullable(), z.number().int()]);

/** Only the demo's past was ever generated: what stands before this instant comes from no measurement. */
export const generatedUntil = z.iso.datetime().nullable().meta({
  description: 'data before this instant is generated, not measured (demo only); else null',
});

/** What other monitors measured is shown like other results. */
export const importedUntil = z.iso.datetime().nullable().meta({
  description:
    'data of the range, and of the one compared with, may contain results imported from another monitor up to this instant at the most: a gap in what was imported is not known; null: none',
});

export const Series = z
  .object({
    metric: Metric,
    stat: Stat,
    unit: Unit,
    stepSeconds: z.number().int(),
    from: z.string(),
    to: z.string(),
    demo: z.boolean(),
    generatedUntil,
    importedUntil,
    series: z.array(
      z.object({
        labels: z.record(z.string(), z.string()),
        points: z.array(SeriesPoint),
        usual: z.array(z.number().nullable()).optional().meta({
          description:
            'the usual level at each point, ms: there for p50 of `tcp`, `tls`, `firstByte`; null: not known, or imported',
        }),
      }),
    ),
  })
  .meta({ id: 'Series' });
export type Series = z.infer<typeof Series>;

const compared = z
  .object({ value: z.number().nullable(), n: z.number().int(), change: z.number().nullable() })
  .nullable()
  .meta({ description: '`change` is relative: 0.047 is 4.7% more than in the comparison range' });
const measured = {
  value: z.number().nullable(),
  n: z.number().int(),
  compare: compared,
  usual: z.number().nullable().optional().meta({
    description:
      'the usual level at these hours, ms: there for p50 of `tcp`, `tls`, `firstByte`; null: not known, or imported',
  }),
};

export const Matrix = z
  .object({
    metric: Metric,
    stat: Stat,
    unit: Unit,
    from: z.string(),
    to: z.string(),
    demo: z.boolean(),
    generatedUntil,
    importedUntil,
    unclean: z.number().int().meta({ description: 'results excluded because the prober was overloaded' }),
    regions: z.array(z.string()),
    carriers: z.array(z.string()),
    cells: z.array(z.object({ region: z.string(), carrier: z.string(), ...measured })),
    margins: z.object({
      countries: z.array(z.object({ country: z.string(), ...measured })).meta({
        description: 'the regions by country; Hong Kong, Macao and Taiwan are regions of CN, whatever their code',
      }),
      regions: z.array(z.object({ region: z.string(), ...measured })),
      carriers: z.array(z.object({ carrier: z.string(), ...measured })),
      all: z.object(measured),
    }),
  })
  .meta({ id: 'Matrix' });
export type Matrix = z.infer<typeof Matrix>;
export type Measured = Matrix['margins']['all'];
