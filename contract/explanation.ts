import { z } from 'zod';
import { instant } from './bounds.ts';

export const CAUSES = ['network', 'server', 'tls'] as const;
export const Cause = z.enum(CAUSES).meta({ id: 'Cause' });
export type Cause = z.infer<typeof Cause>;

/**
 * What an incident's excess is made of: more round trips (certificates over the window, an older version), full handshakes in the place of
 * resumed ones, HelloRetryRequests, lost segments, lost SYNs, a longer round-trip time, a wait for an OCSP staple, work in the handshake
 * alone (keys, certificates), work at the server, the prober's own delay, and what none of these explains.
 */
export const EXCESS_PARTS = [
  'round_trips',
  'resumption',
  'hello_retry',
  'loss',
  'syn_loss',
  'path',
  'staple',
  'handshake_work',
  'server_work',
  'own_delay',
  'other',
] as const;
export type ExcessPart = (typeof EXCESS_PARTS)[number];

/** What may single out what is affected, places first: of two that do it equally well the first is named. */
export const EXPLAINED_DIMENSIONS = [
  'carrier',
  'region',
  'target',
  'family',
  'peerAddress',
  'resolver',
  'certificate',
  'staple',
  'version',
  'group',
  'alpn',
] as const;
export type ExplainedDimension = (typeof EXPLAINED_DIMENSIONS)[number];

const values = z.object({
  dimension: z.enum(EXPLAINED_DIMENSIONS),
  values: z.array(z.string()).min(1),
});

/** Which results are slower, by as few dimensions as explain nine tenths of the excess. */
export const ExplainedWhere = z
  .object({
    fixed: z.array(values).max(3).meta({ description: 'all of these together; empty: everywhere' }),
    explains: z.number().min(0).max(1).meta({ description: 'share of the excess that is there' }),
    spared: z
      .array(values)
      .meta({ description: 'other values of these dimensions, where the rest is alike and times are as usual' }),
  })
  .meta({ id: 'ExplainedWhere' });
export type ExplainedWhere = z.infer<typeof ExplainedWhere>;

/** What an incident's results measured: what its excess is made of. */
export const IncidentExplanation = z
  .object({
    at: instant.meta({ description: 'results up to here were compared' }),
    metric: z.enum(['tls', 'tcp', 'firstByte']),
    beforeMs: z.number(),
    excessMs: z.number().meta({
      description:
        'the change, negative of an improvement: the effect of the incident where both are of one metric; its parts sum up to it',
    }),
    series: z.number().int().min(1),
    results: z.object({ before: z.number().int().min(1), after: z.number().int().min(1) }),
    parts: z
      .array(z.object({ code: z.enum(EXCESS_PARTS), ms: z.number(), share: z.number() }))
      .meta({ description: 'the largest first; share of the excess, none negative' }),
    roundTrips: z
      .object({ before: z.number(), after: z.number() })
      .nullable()
      .meta({ description: 'mean number of round trips; null for `tcp`' }),
    cause: Cause.nullable().meta({ description: 'what most of it says; null: no part decides, and `detected` stays' }),
    detected: Cause.nullable().meta({
      description: 'the cause as the detector has it, from the phases of its samples',
    }),
    where: ExplainedWhere.nullable().meta({ description: 'null: nothing singles it out' }),
  })
  .meta({ id: 'IncidentExplanation' });
export type IncidentExplanation = z.infer<typeof IncidentExplanation>;
