import { z } from 'zod';
import { locationFields } from './location.ts';

const runs = z.object({
  started: z.number().int(),
  missed: z.number().int().meta({ description: 'runs that were due and did not start' }),
  retaken: z.number().int(),
  unclean: z
    .number()
    .int()
    .meta({ description: 'runs whose main Result was taken while the prober was delayed too much' }),
  dropped: z.number().int().meta({ description: 'results discarded because the spool was full' }),
  rejected: z.number().int().meta({ description: 'results that the server rejected permanently' }),
});

const mayHoldSecrets = z.boolean().meta({
  description: 'whether its prober is given secrets of targets; without, targets with secrets are not probed from it',
});

/** What a prober told of its own work. It may serve several vantages: the figures are of them all. */
export const ProberActivity = z
  .object({
    reportedAt: z.iso.datetime(),
    checks: z.number().int(),
    threads: z.number().int(),
    lastHour: runs,
    lastDay: runs,
    quarantined: z.number().int().meta({ description: 'rejected results that the prober keeps on disk' }),
    quarantineBytes: z.number().int(),
  })
  .meta({ id: 'ProberActivity' });
export type ProberActivity = z.infer<typeof ProberActivity>;

export const Vantage = z
  .object({
    id: z.uuid(),
    ...locationFields,
    city: z.string().nullable(),
    asn: z.number().int().nullable(),
    demo: z.boolean(),
    imported: z.boolean().meta({
      description:
        'true where another monitor measured: its results were imported, no prober serves it, nothing judges them',
    }),
    mayHoldSecrets,
    proberId: z.uuid().nullable().meta({ description: 'null until a prober has enrolled for it' }),
    lastSeenAt: z.iso.datetime().nullable().meta({ description: 'noted every 15 seconds' }),
    clockSkewMs: z
      .number()
      .nullable()
      .meta({ description: "the prober's clock minus the server's, at its last contact" }),
    prober: ProberActivity.nullable().meta({ description: 'null if the prober has not reported for two days' }),
    busy: z.object({ since: z.iso.datetime(), until: z.iso.datetime().nullable() }).nullable().meta({
      description:
        "the last time, of a day, in which the prober's own delay was three times its usual: the detector ignores these results; `until` null: it still is",
    }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Vantage' });
export type Vantage = z.infer<typeof Vantage>;

/** A prober that has not been heard of for so long is silent. */
export const SILENT_MINUTES = 5;

/** A prober that was heard last at this instant or before is silent at `now` (ms). One that never came is awaited, not silent. */
export const silentSince = (now: number): Date => new Date(now - SILENT_MINUTES * 60_000);

type CountryAndRegion = { country?: string | undefined; region?: string | undefined };
const regionMatchesCountry = ({ country, region }: CountryAndRegion) =>
  !country || !region || region.startsWith(`${country}-`);
const regionError = { path: ['region'], error: 'must begin with the country code, as CN-GD does with CN' };

export const EnrolmentCreate = z
  .strictObject({
    ...locationFields,
    country: locationFields.country.optional().meta({ description: 'default: the country part of the region' }),
    mayHoldSecrets: mayHoldSecrets.default(false),
    expiresInSeconds: z.number().int().min(60).max(604_800).default(86_400),
  })
  .refine(regionMatchesCountry, regionError)
  .meta({ id: 'EnrolmentCreate', description: 'Creates a vantage and a one-time token for its prober' });
export type EnrolmentCreate = z.infer<typeof EnrolmentCreate>;

export const EnrolmentRenew = z
  .strictObject({ expiresInSeconds: EnrolmentCreate.shape.expiresInSeconds })
  .meta({ id: 'EnrolmentRenew', description: 'Asks for a new one-time token of a vantage that is there' });
export type EnrolmentRenew = z.infer<typeof EnrolmentRenew>;

/** The token is shown this once; the database keeps its hash alone. */
export const Enrolment = z
  .object({ token: z.string(), expiresAt: z.iso.datetime(), vantage: Vantage })
  .meta({ id: 'Enrolment' });
export type Enrolment = z.infer<typeof Enrolment>;

export const VantagePatch = z
  .strictObject({
    name: locationFields.name.optional(),
    country: locationFields.country.optional(),
    region: locationFields.region.optional(),
    city: locationFields.name.max(100).nullable().optional(),
    carrier: locationFields.carrier.optional(),
    asn: z.number().int().min(1).max(4_294_967_295).nullable().optional(),
    access: locationFields.access.removeDefault().optional(),
    mayHoldSecrets: mayHoldSecrets.optional(),
  })
  .refine(regionMatchesCountry, regionError)
  .meta({ id: 'VantagePatch' });
export type VantagePatch = z.infer<typeof VantagePatch>;
