import { z } from 'zod';
import { duration, text } from './bounds.ts';
import { locationFields } from './location.ts';
import { time } from './query.ts';
import { AccessType } from './vocabulary.ts';

/** Most measurements of one request, and most bytes of its JSON after decompression. */
export const MAX_IMPORTED = 5_000;
export const MAX_IMPORT_BYTES = 4 * 1024 * 1024;
/** Most vantages that imports may make, of all sources together. */
export const MAX_IMPORTED_VANTAGES = 1_000;

const phase = duration.optional();

/** What another monitor measured once. Durations are of the phases themselves, in ms; what it does not say is left out or null. */
export const ImportedMeasurement = z
  .strictObject({
    at: time.meta({ description: 'when the measurement began' }),
    country: locationFields.country,
    region: locationFields.region,
    carrier: locationFields.carrier,
    city: z.string().trim().min(1).max(100).nullable().optional(),
    asn: locationFields.asn.unwrap().optional(),
    access: AccessType.optional().meta({ description: 'default: `idc`' }),
    ok: z.boolean(),
    dnsMs: phase,
    connectMs: phase.meta({ description: 'the TCP handshake' }),
    tlsMs: phase,
    firstByteMs: phase.meta({ description: 'from the request to the first byte of the answer' }),
    downloadMs: phase,
    totalMs: phase,
    httpStatus: z.number().int().min(100).max(999).nullable().optional(),
    reason: text(1_000).nullable().optional().meta({
      description:
        'why it failed: a reason of `Failure`, or any words, which are kept as its message; only with `ok: false`',
    }),
  })
  .refine(({ country, region }) => region.startsWith(`${country}-`), {
    path: ['region'],
    error: 'must begin with the country code, as CN-GD does with CN',
  })
  .refine(({ ok, reason }) => !ok || !reason, { path: ['reason'], error: 'must be left out where ok is true' })
  .meta({ id: 'ImportedMeasurement' });
export type ImportedMeasurement = z.infer<typeof ImportedMeasurement>;

export const ImportCreate = z
  .strictObject({
    targetId: z.uuid(),
    source: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .meta({ description: 'the other monitor; the names of the vantages begin with it' }),
    measurements: z.array(ImportedMeasurement).min(1).max(MAX_IMPORTED),
  })
  .meta({ id: 'ImportCreate' });
export type ImportCreate = z.infer<typeof ImportCreate>;

export const ImportReport = z
  .object({
    stored: z.number().int(),
    already: z.number().int().meta({ description: 'stored by an earlier request, or twice in this one' }),
    tooOld: z.number().int().meta({
      description: 'older than results and their rollups are kept, or than what the server has deleted: not stored',
    }),
    vantages: z.number().int().meta({ description: 'imported vantages that these measurements belong to' }),
  })
  .meta({ id: 'ImportReport' });
export type ImportReport = z.infer<typeof ImportReport>;
