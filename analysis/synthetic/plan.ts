import { Agenda } from './agenda.ts';
import { type Climate, within } from './climate.ts';
import type { Dice } from './dice.ts';
import type { LineEvent } from './event.ts';
import type { LineModel } from './line.ts';
import { drawNoise, NOISE_RATES } from './plan-noise.ts';
import { drawShift } from './plan-shifts.ts';
import { drawSpike } from './plan-spikes.ts';
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
import type { Span } from './span.ts';

const WEEK = 604_800;
/** A place that collides is drawn anew so many times, then given up. */
const TRIES = 12;

/** Everything that happens in a world: for each line its events in time order. */
export function planEvents(climate: Climate, lines: readonly LineModel[], span: Span, dice: Dice): LineEvent[][] {
  const agenda = new Agenda(lines.length);
  const context = { climate, lines, span, agenda };
  planScopes(context, 'shift', SHIFT_RATES, within(climate.shifts, dice), dice.fork('shifts'));
  planScopes(context, 'spike', SPIKE_RATES, within(climate.spikes, dice), dice.fork('spikes'));
  planNoise(context, dice.fork('noise'));
  for (const events of agenda.events) events.sort((a, b) => a.start - b.start);
  return agenda.events;
}

export type Context = { climate: Climate; lines: readonly LineModel[]; span: Span; agenda: Agenda };

function planScopes(context: Context, kind: 'spike' | 'shift', rates: Rates, factor: number, dice: Dice): void {
  const { lines, span } = context;
  const weeks = (span.to - span.from) / WEEK;
  for (const scope of SCOPES) {
    for (const group of groupsOf(scope, lines)) {
      // Of half of a carrier's provinces each line sees half of what happens.
      const rate = rates[scope] * (context.climate.style === 'recorded' ? RECORDED[scope] : 1);
      const count = dice.poisson(rate * factor * weeks * (scope === 'provinces' ? 2 : 1));
      for (let number = 0; number < count; number++) place(context, kind, scope, group, dice);
    }
  }
}

function place(context: Context, kind: 'spike' | 'shift', scope: Scope, group: readonly number[], dice: Dice): void {
  const { lines, span, agenda } = context;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const touched = touchedBy(scope, group, lines, dice);
    const draw = kind === 'spike' ? drawSpike : drawShift;
    const happening = draw({ scope, cause: causeOf(scope), touched, lines, span, agenda, dice });
    if (!happening) continue;
    // In the warm-up little happens: a baseline of a disturbed week is no baseline.
    if (happening[0] && happening[0].event.start < span.warmUpEnd && !dice.chance(0.25)) return;
    if (!happening.every(({ line, event }) => agenda.fits([line], event))) continue;
    for (const { line, event } of happening) agenda.add(line, event);
    return;
  }
}

function planNoise(context: Context, dice: Dice): void {
  const { climate, lines, span, agenda } = context;
  const factor = within(climate.noises, dice);
  const weeks = (span.to - span.from) / WEEK;
  lines.forEach((line, index) => {
    for (const { kind, perWeek } of NOISE_RATES) {
      const count = dice.poisson(perWeek * factor * weeks);
      for (let number = 0; number < count; number++) {
        const event = drawNoise(kind, line, span, dice);
        if (agenda.fits([index], event)) agenda.add(index, event);
      }
    }
  });
}
