// The life of a sample, from the caller to a detection:
//
// 1. `detector.ts` takes all samples of one instant (`sample.ts`) and hands each to its series.
// 2. `series/` holds what is known of one series: its monitors, its rings and its accepted changes.
// 3. `history/` keeps samples: 26 hours of each metric, 8 days of half hours, the last 64 probes.
// 4. `baseline/` says what is usual: the daily shape, and median, deviation and limit about it.
// 5. `monitor/` compares each sample with the baseline and adds its log-likelihood ratio to a cumulative sum.
// 6. `spikes/` raises a spike where a sum crosses the threshold, for one series or for several of a group together.
// 7. At the end of a half hour `shifts/` tests each series for a lasting change; an accepted change restarts the series.
// 8. `causes/` compares before and after, phase by phase: network, server or TLS.
// 9. `grouping.ts` finds the detections that belong to one event, and `detection.ts` is what the caller gets.
//
// `state.ts` writes and reads all of it as bytes, `upgrade.ts` what older versions wrote. `parameters.ts` has every threshold and where it comes from.
// Arrows go one way: history <- baseline <- monitor, history <- causes, all of them <- series <- spikes, shifts.

import type { ClosedSpike, Detection, Metric, OpenSpike } from './detection.ts';
import { forgetGroups, groupOf } from './grouping.ts';
import { slotOf } from './history/half-hours.ts';
import { shanghaiOffset } from './parameters.ts';
import type { Series, SeriesSample } from './sample.ts';
import { SeriesGroups } from './series/groups.ts';
import { closeHalfHour, newSeries } from './series/series.ts';
import { shiftsOf } from './shifts/shifts.ts';
import { openSpikes, spikesOf, takeClosed } from './spikes/spikes.ts';
import { type Frozen, newState, readState, type State, writeState } from './state.ts';

export type DetectorOptions = {
  /** Metrics on which spikes are looked for; TLS time alone where left out. TLS time is always among them. */
  spikesOn?: readonly Metric[];
  /** Local time less UTC at a vantage, seconds; Asia/Shanghai where left out. */
  offsetOf?: (series: Series, timestamp: number) => number;
};

export type Detector = {
  /** The index of a series; a new one is added. */
  indexOf: (series: Series) => number;
  /**
   * Takes all samples of one instant, in any order, at most one per series; returns the detections. Instants (epoch
   * seconds) must rise: a RangeError otherwise.
   */
  advance: (timestamp: number, samples: readonly SeriesSample[]) => Detection[];
  /**
   * The same in steps of about a millisecond, so that other work can be done in between; what the last step returns counts.
   * Nothing else may be asked of the detector before that.
   */
  advancing: (timestamp: number, samples: readonly SeriesSample[]) => Generator<void, Detection[]>;
  /** The spikes that are under way after the last `advance`, in the order of series. */
  open: () => OpenSpike[];
  /** The spikes that the last `advance` found to be over; each once, and none before its detection. */
  closed: () => ClosedSpike[];
  /**
   * Everything that is known, in pieces, made one by one: take them all before the next `advance`.
   * `createDetector(options, state)` goes on from there exactly, or throws an Error where it is of another version; see
   * `currentState`.
   */
  state: () => Iterable<Uint8Array<ArrayBuffer>>;
};

/** Finds spikes and lasting changes in many series at once. A detection depends on no sample after its `at`. */
export function createDetector(options: DetectorOptions = {}, frozen?: Frozen): Detector {
  const state: State = frozen ? readState(frozen) : newState();
  const groups = new SeriesGroups(state.series);
  const offsetOf = options.offsetOf ?? (() => shanghaiOffset);
  const spikesOn = options.spikesOn ?? ['tls'];
  function* advancing(timestamp: number, samples: readonly SeriesSample[]): Generator<void, Detection[]> {
    if (timestamp <= state.now) throw new RangeError(`${timestamp} does not come after ${state.now}`);
    const slot = slotOf(timestamp);
    const shifts = state.slot >= 0 && slot > state.slot ? yield* endHalfHour(state, groups, offsetOf, timestamp) : null;
    state.slot = slot;
    state.now = timestamp;
    const spikes = yield* raiseSpikes(state, groups, samples);
    // Only a half hour's end concerns series without a sample.
    const concerned = shifts === null ? indexesOf(samples).map((index) => groups.at(index)) : state.series;
    state.closed = concerned.flatMap((series) => takeClosed(series, timestamp));
    return [...(shifts ?? []), ...spikes];
  }
  return {
    indexOf: (series) => groups.indexOf(series) ?? groups.add(newSeries(series, offsetOf(series, state.now), spikesOn)),
    advance(timestamp, samples) {
      const steps = advancing(timestamp, samples);
      for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
    },
    advancing,
    open: () => openSpikes(state.series),
    closed: () => state.closed,
    state: () => writeState(state),
  };
}

/** Rising, whatever the order of the samples is. */
function indexesOf(samples: readonly SeriesSample[]): number[] {
  return samples.map(({ index }) => index).sort((a, b) => a - b);
}

/** The half hour `state.slot` is over: a sample came after it. A step a series. */
function* endHalfHour(
  state: State,
  groups: SeriesGroups,
  offsetOf: (series: Series, timestamp: number) => number,
  at: number,
): Generator<void, Detection[]> {
  for (const series of state.series) {
    closeHalfHour(series, state.slot, offsetOf(series.id, at), at);
    yield;
  }
  state.groups = forgetGroups(state.groups, at);
  const shifts = yield* shiftsOf(groups, state.slot, at);
  return shifts.map(({ series, onset, effect, cause }) => {
    const kind = effect > 0 ? 'regression' : 'improvement';
    return detectionOf(state, { ...series.id, kind, metric: 'tls', at, cause, changeAt: onset, effect });
  });
}

function* raiseSpikes(
  state: State,
  groups: SeriesGroups,
  samples: readonly SeriesSample[],
): Generator<void, Detection[]> {
  const raised = yield* spikesOf(groups, samples, state.now);
  return raised.map(({ series, metric, onset, effect, cause }) =>
    detectionOf(state, { ...series.id, kind: 'spike', metric, at: state.now, cause, changeAt: onset, effect }),
  );
}

function detectionOf({ groups }: State, detection: Omit<Detection, 'group'>): Detection {
  return { ...detection, group: groupOf(groups, detection) };
}
