import { z } from 'zod';
import { instant } from './bounds.ts';
import type { Location } from './extent.ts';
import { range } from './query.ts';
import { Failure } from './result.ts';

const share = z.number().min(0).max(1);
const places = z.array(z.object({ region: z.string(), carrier: z.string() }));

/** What a failure is called: in which phase, for which reason, by whose fault. */
export const FailureKind = Failure.pick({ phase: true, reason: true, source: true });
export type FailureKind = z.infer<typeof FailureKind>;

/** Why the probes of an incident failed: the commonest reason, and its share of the probes at the affected vantages. */
export const IncidentFailure = FailureKind.extend({
  share: share.meta({
    description: 'share of the probes at the affected vantages around the opening that failed this way',
  }),
}).meta({ id: 'IncidentFailure' });
export type IncidentFailure = z.infer<typeof IncidentFailure>;

/** The failures of one kind in a range. */
export const FailureSum = FailureKind.extend({
  share: share.meta({
    description:
      'share of the probes of the range; for the sources `target` and `resolver` prober failures are excluded, as in availability',
  }),
  shareSince: share.nullable().meta({
    description: 'the same share since `since`, in the range and before it; null if the failures have stopped',
  }),
  places: places.meta({ description: 'affected locations, each region and carrier once' }),
  firstAt: instant.meta({ description: 'the earliest failure read' }),
  lastAt: instant,
  since: instant.nullable().meta({
    description: 'since when the failures have continued without a pause; null if they have stopped',
  }),
}).meta({ id: 'FailureSum' });
export type FailureSum = z.infer<typeof FailureSum>;

/** Most failed results that are read for the reasons of a target; of more, the latest. */
export const MAX_FAILURES_READ = 20_000;

export const FailuresQuery = range.meta({ id: 'FailuresQuery' });
export type FailuresQuery = z.infer<typeof FailuresQuery>;

/** Why a target failed in a range; `failures`: what goes on before what has stopped, by share, the prober's own last. */
export const TargetFailures = z
  .object({
    targetId: z.uuid(),
    from: z.string(),
    to: z.string(),
    probes: z.number().int().meta({ description: 'main results of the range' }),
    availability: share.nullable().meta({ description: 'null without results' }),
    places: places.meta({ description: 'locations with results' }),
    failures: z.array(FailureSum),
  })
  .meta({ id: 'TargetFailures' });
export type TargetFailures = z.infer<typeof TargetFailures>;

/**
 * A time in which a target failed: the share of its probes, and the commonest kind with where it was seen; null: not kept.
 * `lasting`: it goes on now, and `to` is the end of the latest step with probes.
 */
export type FailureSpan = {
  from: string;
  to: string;
  lasting: boolean;
  share: number;
  failure: FailureKind | null;
  places: Location[];
};
