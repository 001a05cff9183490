import { z } from 'zod';
import { Staple } from './certificate.ts';
import { range } from './query.ts';
import { STAPLE_STATUSES } from './vocabulary.ts';

/** Longest range of a staple report, in days. */
export const MAX_STAPLE_DAYS = 7;

export const StaplesQuery = range.meta({ id: 'StaplesQuery' });
export type StaplesQuery = z.infer<typeof StaplesQuery>;

const ratio = z.number().min(0).max(1).nullable().meta({ description: 'hits / connections; null without connections' });
const stapleCounts = {
  connections: z
    .number()
    .int()
    .meta({ description: 'full handshakes that could have carried a staple, without those of status `unverified`' }),
  hits: z.number().int().meta({ description: 'those with a staple of status `good`' }),
  hitRatio: ratio,
};

/** One server address with one kind of certificate. */
export const StapleRow = z
  .object({
    peerAddress: z.string().nullable(),
    certificateKind: z.enum(['RSA', 'ECDSA', 'other']),
    ...stapleCounts,
    firstSeenAt: z.iso.datetime().meta({ description: 'minute of the first such connection in the range' }),
    lastSeenAt: z.iso.datetime(),
    lastHitAt: z.iso.datetime().nullable(),
    worstStatus: Staple.shape.status,
    statuses: z
      .partialRecord(z.enum(STAPLE_STATUSES), z.number().int())
      .meta({ description: 'connections by staple status' }),
  })
  .meta({ id: 'StapleRow' });
export type StapleRow = z.infer<typeof StapleRow>;

export const Staples = z
  .object({
    targetId: z.uuid(),
    from: z.string(),
    to: z.string(),
    demo: z.boolean(),
    notApplicable: z
      .number()
      .int()
      .meta({ description: 'full handshakes without a staple whose certificate names no responder' }),
    ...stapleCounts,
    rows: z.array(StapleRow).meta({ description: 'worst first' }),
  })
  .meta({ id: 'Staples' });
export type Staples = z.infer<typeof Staples>;
