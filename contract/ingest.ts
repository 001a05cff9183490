import { z } from 'zod';
import { VantageRef } from './result.ts';

/** Most results in a batch, and most bytes of its JSON after decompression. */
export const MAX_BATCH_RESULTS = 5_000;
export const MAX_BATCH_BYTES = 32 * 1024 * 1024;

const counted = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** What a prober did since its last report: runs that it missed or spoilt are told, not hidden. */
export const ProberReport = z
  .strictObject({
    since: z.iso.datetime({ offset: true }),
    checks: z.number().int().min(0),
    threads: z.number().int().min(1).max(256),
    started: z.number().int().min(0),
    missed: z.number().int().min(0).meta({ description: 'runs that were due and did not start' }),
    retaken: z.number().int().min(0),
    unclean: z
      .number()
      .int()
      .min(0)
      .meta({ description: 'runs whose main Result was taken under too much delay of the prober itself' }),
    dropped: z.number().int().min(0).meta({ description: 'Results that the full spool could not keep' }),
    rejected: counted
      .optional()
      .meta({ description: 'Results that the server refused for good; the prober keeps them in its quarantine' }),
    quarantined: counted.optional().meta({ description: 'Results that lie in the quarantine' }),
    quarantineBytes: counted.optional(),
  })
  .meta({ id: 'ProberReport' });
export type ProberReport = z.infer<typeof ProberReport>;

/** The envelope alone: each result is parsed by itself, so that one bad result does not cost the good ones. */
export const IngestBatch = z
  .strictObject({
    results: z.array(z.unknown()).max(MAX_BATCH_RESULTS),
    report: ProberReport.optional(),
    sentAt: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: "the prober's clock when it sent: skew is told from it" }),
  })
  .refine(({ results, report }) => results.length > 0 || report !== undefined, {
    path: ['results'],
    message: 'must hold a result, or the batch a report',
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
          description: 'true: refused for its time alone. Keep it, and send it again with the right time or later',
        }),
      }),
    ),
    serverTime: z.iso
      .datetime({ precision: 3 })
      .optional()
      .meta({ description: "the server's clock when it answered: its distance from yours is told from it" }),
  })
  .meta({
    id: 'IngestReport',
    description: 'A result named in `rejected` without `retry` will never be accepted: do not send it again',
  });
export type IngestReport = z.infer<typeof IngestReport>;

export const EnrolRequest = z
  .strictObject({
    token: z.string().min(10).max(200),
    engineVersion: z.number().int().min(1).default(1),
    host: z.string().max(253).optional(),
    credentialHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal digits')
      .optional()
      .meta({
        description:
          'SHA-256 of a credential of the own making, `rtp_` and 32 random bytes in base64url. The same token with the same hash gets the same answer again',
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
      .meta({ description: 'shown this once; absent where the request held the hash of one' }),
    vantages: z.array(VantageRef),
  })
  .meta({ id: 'EnrolResponse' });
export type EnrolResponse = z.infer<typeof EnrolResponse>;
