import type { Incident } from '#contract/incident.ts';
import { msText } from './explanation.ts';
import { formatTime } from './time.ts';
import type { Voice } from './ui.ts';

type Told = {
  [Field in 'counterfactual' | 'state' | 'kind' | 'resolution']?: Incident[Field] | null | undefined;
};

/**
 * `Without it 38 ms, now 61 ms`; of what is over, `Without it 38 ms, until its end 61 ms`; of what goes on and is looked at no more,
 * `Without it 38 ms, 61 ms as of 2026-11-21 20:30`, the time as `timeText` writes it. Null where it is not known.
 */
export function counterfactualText(
  ui: Voice,
  told: Told,
  timeText = (at: string) => formatTime(at, ui.timeZone, 'minute'),
): string | null {
  const { counterfactual } = told;
  if (!counterfactual) return null;
  const { withoutMs, nowMs, at } = counterfactual;
  const levels = { without: msText(ui, withoutMs), level: msText(ui, nowMs) };
  return ui.t(`counterfactual.${tenseOf(told)}`, { ...levels, time: timeText(at) });
}

function tenseOf({ state, kind, resolution }: Told): 'now' | 'ended' | 'then' {
  // An improvement is resolved at once, and goes on, as what was accepted does; nobody knows it of what is not measured any more, or
  // was ended by hand.
  if (kind === 'improvement' || state === 'accepted') return 'then';
  if (resolution === 'unwatched' || resolution === 'by_hand') return 'then';
  return state === 'quiet' || state === 'resolved' ? 'ended' : 'now';
}
