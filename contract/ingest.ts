import { z } from 'zod';
import { count, rfc3339 } from './bounds.ts';
import { VantageRef } from './result.ts';

/** Most results in a batch, and most bytes of its JSON after decompression. */
export const MAX_BATCH_RESULTS = 5_000;
export const MAX_BATCH_BYTES = 32 * 1024 * 1024;

/** The newest form of a batch: from 2 on it may have `shared`, from 3 on `until`. It is said for other programs: our prober does not ask. */
export const BATCH_FORM = 3;
/** Most parts that the results of a batch share. */
export const MAX_SHARED_PARTS = 20_000;

/**
 * Where a result of a batch may name a part in `shared` by its number, instead of holding it: these are the same from one
 * result to the next, and half of its bytes.
 */
export const SHARED_PLACES = [
  ['vantage'],
  ['roundTrips'],
  ['tls', 'certificate'],
  ['tls', 'staple'],
  ['tls', 'hellos'],
  ['tls', 'session'],
] as const;

/** RFC 3339 with an offset, in the years that PostgreSQL and `Date` write alike. */
const moment = rfc3339.refine((value) => {
  const year = new Date(value).getUTCFullYear();
  return year >= 1 && year <= 9_999;
}, 'must lie in the years 1 to 9999');

/** What a prober did since its last report: runs that it missed or spoilt are told, not hidden. */
export const ProberReport = z
  .strictObject({
    since: moment,
    checks: count,
    threads: z.number().int().min(1).max(256),
    started: count,
    missed: count.meta({ description: 'runs that were due and did not start' }),
    retaken: count,
    unclean: count.meta({ description: 'runs whose main Result was taken while the prober was delayed too much' }),
    dropped: count.meta({ description: 'Results discarded because the spool was full' }),
    rejected: count
      .optional()
      .meta({ description: 'Results that the server rejected permanently; the prober keeps them in its quarantine' }),
    quarantined: count.optional().meta({ description: 'Results in the quarantine' }),
    quarantineBytes: count.optional(),
  })
  .meta({ id: 'ProberReport' });
export type ProberReport = z.infer<typeof ProberReport>;

/** The envelope alone: each result is parsed by itself, so that one bad result does not cost the good ones. */
export const IngestBatch = z
  .strictObject({
    results: z.array(z.unknown()).max(MAX_BATCH_RESULTS),
    shared: z
      .array(z.unknown())
      .max(MAX_SHARED_PARTS)
      .optional()
      .meta({
        description: `Parts of results, each sent once: a result may hold the position (from 0) of a part in this list in place of the part itself, as its ${SHARED_PLACES.map((place) => `\`${place.join('.')}\``).join(', ')}. Only for a server whose response has a \`batchForm\` of 2 or more`,
      }),
    report: z
      .union([ProberReport, z.unknown()])
      .optional()
      .meta({ description: 'A `ProberReport`. An invalid one is ignored; the results are stored' }),
    until: moment.optional().meta({
      description:
        "every run of this prober that began before has been delivered, with this batch at the latest. In the server's time; in the future if no run will begin before. Spikes are looked for up to there without waiting a minute for what may come. Only for a server whose response has a `batchForm` of 3 or more",
    }),
    sentAt: moment.optional().meta({ description: "the prober's clock at sending, from which the skew is computed" }),
  })
  .refine(({ results, report, until }) => results.length > 0 || report !== undefined || until !== undefined, {
    path: ['results'],
    message: 'must contain a result unless the batch has a report or `until`',
  })
  .meta({ id: 'IngestBatch' });
export type IngestBatch = z.infer<typeof IngestBatch>;

export const IngestReport = z
  .object({
    accepted: z.number().int(),
    duplicates: z.number().int(),
    rejected: z.array(
      z.object({
        index: z.number().int(),
        id: z.string().nullable(),
        field: z.string().nullable(),
        message: z.string(),
        retry: z.boolean().optional().meta({
          description:
            'true: temporary. Send the result again: at once with a corrected time if only its time is invalid, otherwise later',
        }),
      }),
    ),
    reportErrors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'why the report of this batch was ignored' }),
    serverTime: z.iso
      .datetime({ precision: 3 })
      .optional()
      .meta({ description: "the server's clock at the response, from which the clock offset is computed" }),
    batchForm: z.number().int().optional().meta({
      description:
        'newest form of a batch that this server accepts: from 2 on it may have `shared`, from 3 on `until`. Without it, 1. For programs that also send to older servers: a Roundtrip prober is never newer than its server',
    }),
    nextBatchMs: z.number().int().min(0).optional().meta({
      description:
        'how long to wait before the next batch, in ms, unless 250 results are waiting: shorter while figures are being read. Without it, a second',
    }),
  })
  .meta({
    id: 'IngestReport',
    description: 'A result named in `rejected` without `retry` will never be accepted: do not send it again',
  });
export type IngestReport = z.infer<typeof IngestReport>;

export const EnrolRequest = z
  .strictObject({
    token: z.string().min(10).max(200),
    engineVersion: z.number().int().min(1).max(10_000).default(1),
    host: z.string().max(253).optional(),
    credentialHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal digits')
      .optional()
      .meta({
        description:
          'SHA-256 of a self-generated credential, `rtp_` and 32 random bytes in base64url. The same token with the same hash gets the same response again',
      }),
  })
  .meta({ id: 'EnrolRequest' });
export type EnrolRequest = z.infer<typeof EnrolRequest>;

/** One prober may serve several vantages (a host with several networks). */
export const EnrolResponse = z
  .object({
    proberId: z.uuid(),
    credential: z
      .string()
      .optional()
      .meta({ description: 'shown only here; absent if the request contained a credential hash' }),
    vantages: z.array(VantageRef),
  })
  .meta({ id: 'EnrolResponse' });
export type EnrolResponse = z.infer<typeof EnrolResponse>;
