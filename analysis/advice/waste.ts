import type { AdviceClient, AdviceCode, AdviceFacts, Change, Waste } from '#contract/advice.ts';
import type { Result } from '#contract/result.ts';
import { mayFalseStart, tlsTripsOf } from '../what-if/facts.ts';
import { bodyTripsOf, median, type Window, windowsOf } from './window.ts';
import { inOrder, savedBy, savedTrips, visitTimes, windowBase } from './worth.ts';

/** Connect, TLS and answer take one each. */
const LEAST_ROUND_TRIPS = 3;
/** What costs round trips at the server itself. */
const WASTES: readonly AdviceCode[] = [
  ...(['tls12', 'no_false_start', 'flight_over_window', 'nagle', 'small_window'] as const),
  ...(['record_over_window', 'tiny_records', 'hello_retry'] as const),
];

/** How many round trips of a visit are waste, by the advice that was made of the Results for a client. Null where none are. */
export function wasteOf(
  results: readonly Result[],
  advice: readonly AdviceFacts[],
  client: AdviceClient,
): Waste | null {
  const measured = windowsOf(results).flatMap((window) => vantageWaste(window, advice, client) ?? []);
  const middle = (of: (each: VantageWaste) => number) => median(measured.map(of)) ?? 0;
  const wasted = Math.round(middle((each) => each.wasted));
  if (wasted < 1) return null;
  const byRegion = Map.groupBy(measured, ({ region }) => region);
  const regions = [...byRegion].map(([region, own]) => ({ region, ms: median(own.map(({ ms }) => ms)) ?? 0 }));
  const worst = regions.toSorted((a, b) => b.ms - a.ms)[0];
  return {
    roundTrips: Math.round(middle(({ roundTrips }) => roundTrips)),
    wasted,
    medianMs: tenths(middle(({ ms }) => ms)),
    worst: worst?.region && regions.length > 1 ? { region: worst.region, ms: tenths(worst.ms) } : null,
    until: {
      firstBody: { ms: tenths(middle(({ ms }) => ms)), ofMs: tenths(middle(({ bodyMs }) => bodyMs)) },
      total: { ms: tenths(middle(({ endMs }) => endMs)), ofMs: tenths(middle(({ totalMs }) => totalMs)) },
    },
  };
}

/** Times until the first byte of the body (`ms` of `bodyMs`) and until all of it (`endMs` of `totalMs`). */
type VantageWaste = {
  region: string | null;
  roundTrips: number;
  wasted: number;
  ms: number;
  bodyMs: number;
  endMs: number;
  totalMs: number;
};

/** What all the changes that this vantage needs save together: alternatives, and what a later pause takes back, count once. */
function vantageWaste(window: Window, advice: readonly AdviceFacts[], client: AdviceClient): VantageWaste | null {
  const { ref, full } = window;
  const trips = full.map((result) => {
    const early = client === 'browser' && mayFalseStart(result) ? 1 : 0;
    return 1 + tlsTripsOf(result) + bodyTripsOf(result) - early;
  });
  const roundTrips = median(trips);
  const base = windowBase(window);
  if (roundTrips === null || !base) return null;
  const here = advice.filter(
    ({ code, occasion, vantages }) =>
      occasion === 'first' && WASTES.includes(code) && vantages.some(({ id }) => id === (ref?.id ?? null)),
  );
  const changes = inOrder(here.flatMap((each): Change[] => each.changes));
  const saved = savedBy(base, changes, client);
  const times = visitTimes(base, client);
  const wasted = Math.max(0, Math.min(savedTrips(base, changes, client).firstBody, roundTrips - LEAST_ROUND_TRIPS));
  return {
    region: ref?.region ?? null,
    roundTrips,
    wasted,
    ms: saved.firstBody,
    bodyMs: times.firstBody,
    endMs: saved.total,
    totalMs: times.total,
  };
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
