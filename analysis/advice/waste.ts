import type { AdviceClient, AdviceCode, AdviceFacts, Waste } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { bodyTripsOf, mayFalseStart, median, tlsTripsOf, type Window, windowsOf } from './window.ts';

/** Connect, TLS and answer take one each. */
const LEAST_ROUND_TRIPS = 3;
/** What costs round trips at the server itself; of alternatives one is enough. */
const WASTES: readonly AdviceCode[][] = [
  ['tls12', 'no_false_start'],
  ['flight_over_window'],
  ['nagle'],
  ['small_window'],
  ['record_over_window', 'tiny_records'],
  ['hello_retry'],
];

/** How many round trips of a visit are waste, by the advice that was made of the Results for a client. Null where none are. */
export function wasteOf(
  results: readonly Result[],
  advice: readonly AdviceFacts[],
  client: AdviceClient,
): Waste | null {
  const measured = windowsOf(results).flatMap((window) => vantageWaste(window, advice, client) ?? []);
  const wasted = median(measured.map((each) => each.wasted));
  if (wasted === null || Math.round(wasted) < 1) return null;
  const byRegion = Map.groupBy(measured, ({ region }) => region);
  const regions = [...byRegion].map(([region, own]) => ({ region, ms: median(own.map(({ ms }) => ms)) ?? 0 }));
  const worst = regions.toSorted((a, b) => b.ms - a.ms)[0];
  return {
    roundTrips: Math.round(median(measured.map(({ roundTrips }) => roundTrips)) ?? 0),
    wasted: Math.round(wasted),
    medianMs: tenths(median(measured.map(({ ms }) => ms)) ?? 0),
    worst: worst?.region && regions.length > 1 ? { region: worst.region, ms: tenths(worst.ms) } : null,
  };
}

type VantageWaste = { region: string | null; roundTrips: number; wasted: number; ms: number };

function vantageWaste(
  { ref, full, rttMs }: Window,
  advice: readonly AdviceFacts[],
  client: AdviceClient,
): VantageWaste | null {
  const trips = full.map((result) => {
    const early = client === 'browser' && mayFalseStart(result) ? 1 : 0;
    return 1 + tlsTripsOf(result) + bodyTripsOf(result) - early;
  });
  const roundTrips = median(trips);
  if (roundTrips === null || !rttMs) return null;
  const savedBy = (code: AdviceCode): number => {
    const found = advice.find((each) => each.code === code && each.occasion === 'first');
    const here = found?.vantages.find(({ id }) => id === (ref?.id ?? null));
    return here ? here.savesMs.firstBody / rttMs : 0;
  };
  const sum = WASTES.reduce((total, codes) => total + Math.max(...codes.map(savedBy)), 0);
  const wasted = Math.max(0, Math.min(sum, roundTrips - LEAST_ROUND_TRIPS));
  return { region: ref?.region ?? null, roundTrips, wasted, ms: wasted * rttMs };
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
