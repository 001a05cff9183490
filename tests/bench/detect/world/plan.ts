import type { SeriesEvent } from '#analysis/synthetic/event.ts';
import type { SeriesModel } from '#analysis/synthetic/series-model.ts';
import type { Span } from './draw-context.ts';
import { drawNoise, NOISE_RATES } from './plan-noise.ts';
import { drawShift } from './plan-shifts.ts';
import { drawSpike } from './plan-spikes.ts';
import type { Random } from './random.ts';
import { type WorldRanges, within } from './ranges.ts';
import { Schedule } from './schedule.ts';
import {
  causeOf,
  groupsOf,
  type Rates,
  RECORDED,
  SCOPES,
  type Scope,
  SHIFT_RATES,
  SPIKE_RATES,
  touchedBy,
} from './scope.ts';

const WEEK = 604_800;
/** A place that collides is drawn anew so many times, then given up. */
const TRIES = 12;

/** Everything that happens in a world: for each series its events in time order. */
export function planEvents(
  ranges: WorldRanges,
  models: readonly SeriesModel[],
  span: Span,
  random: Random,
): SeriesEvent[][] {
  const schedule = new Schedule(models.length);
  const context = { ranges, models, span, schedule };
  planScopes(context, 'shift', SHIFT_RATES, within(ranges.shifts, random), random.fork('shifts'));
  planScopes(context, 'spike', SPIKE_RATES, within(ranges.spikes, random), random.fork('spikes'));
  planNoise(context, random.fork('noise'));
  for (const events of schedule.events) events.sort((a, b) => a.start - b.start);
  return schedule.events;
}

export type Context = { ranges: WorldRanges; models: readonly SeriesModel[]; span: Span; schedule: Schedule };

function planScopes(context: Context, kind: 'spike' | 'shift', rates: Rates, factor: number, random: Random): void {
  const { models, span } = context;
  const weeks = (span.to - span.from) / WEEK;
  for (const scope of SCOPES) {
    for (const group of groupsOf(scope, models)) {
      // Of half of a carrier's provinces each series sees half of what happens.
      const rate = rates[scope] * (context.ranges.style === 'recorded' ? RECORDED[scope] : 1);
      const count = random.poisson(rate * factor * weeks * (scope === 'provinces' ? 2 : 1));
      for (let number = 0; number < count; number++) place(context, kind, scope, group, random);
    }
  }
}

function place(
  context: Context,
  kind: 'spike' | 'shift',
  scope: Scope,
  group: readonly number[],
  random: Random,
): void {
  const { models, span, schedule } = context;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const touched = touchedBy(scope, group, models, random);
    const draw = kind === 'spike' ? drawSpike : drawShift;
    const happening = draw({ scope, cause: causeOf(scope), touched, models, span, schedule, random });
    if (!happening) continue;
    // In the warm-up little happens: a baseline of a disturbed week is no baseline.
    if (happening[0] && happening[0].event.start < span.warmUpEnd && !random.chance(0.25)) return;
    if (!happening.every(({ index, event }) => schedule.fits([index], event))) continue;
    for (const { index, event } of happening) schedule.add(index, event);
    return;
  }
}

function planNoise(context: Context, random: Random): void {
  const { ranges, models, span, schedule } = context;
  const factor = within(ranges.noises, random);
  const weeks = (span.to - span.from) / WEEK;
  models.forEach((model, index) => {
    for (const { kind, perWeek } of NOISE_RATES) {
      const count = random.poisson(perWeek * factor * weeks);
      for (let number = 0; number < count; number++) {
        const event = drawNoise(kind, model, span, random);
        if (schedule.fits([index], event)) schedule.add(index, event);
      }
    }
  });
}
