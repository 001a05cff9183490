// The face of the detector: samples go in, detections come out. The life of a sample:
//
// 1. `detector.ts` takes all samples of one instant (`sample.ts`) and hands each to its series.
//    Those of a prober that is busy (`monitor/own-delay.ts`), and what is not clean, end here.
// 2. `series/` holds what is known of one series: its monitors, its rings and its accepted changes.
// 3. `history/` keeps samples: 26 hours of each metric, 8 days of half hours, the last 64 probes.
// 4. `baseline/` says what is usual: the daily shape, and median, deviation and limit about it.
// 5. `monitor/` compares each sample with the baseline and adds its log-likelihood ratio to a cumulative sum.
// 6. `spikes/` raises a spike where a sum crosses the threshold, for one series or for several of a group together.
// 7. At the end of a half hour `shifts/` tests each series for a lasting change; an accepted change restarts the series.
// 8. `causes/` compares before and after, phase by phase: network, server or TLS.
// 9. `grouping.ts` finds the detections that belong to one event, merges events, and says their cause; `paging.ts` says which are pages;
//    `detection.ts` is what the caller gets.
//
// `state.ts` writes and reads all of it as bytes. `parameters.ts` has every threshold and where it comes from.
// Arrows go one way: history <- baseline <- monitor, history <- causes, all of them <- series <- spikes, shifts.

import type { BusyProber, ClosedSpike, Detection, GroupChange, Metric, OpenSpike } from './detection.ts';
import { type DetectionGroup, renumberMembers, type Ungrouped } from './group.ts';
import { forgetGroups, groupDetections } from './grouping.ts';
import { type HalfHour, putHalfHour, slotOf } from './history/half-hours.ts';
import { busyAt, isBusy, newProberDelay, observeOwnDelay } from './monitor/own-delay.ts';
import { isPage } from './paging.ts';
import { calmThreshold, forgottenSeconds, shanghaiOffset } from './parameters.ts';
import type { Sample, Series, SeriesSample } from './sample.ts';
import { SeriesGroups } from './series/groups.ts';
import { closeHalfHour, lateHalfHour, newSeries, type SeriesState } from './series/series.ts';
import { shiftsOf } from './shifts/shifts.ts';
import { openSpikes, spikesOf, takeClosed } from './spikes/spikes.ts';
import { type Frozen, newState, openState, type State, writeState } from './state.ts';

export type DetectorOptions = {
  /** Metrics on which spikes are looked for; TLS time alone where left out. TLS time is always among them. */
  spikesOn?: readonly Metric[];
  /** Local time less UTC at a vantage, seconds; Asia/Shanghai where left out. */
  offsetOf?: (series: Series, timestamp: number) => number;
};

/** A half hour of a series, by its index: what all of its samples come to, those that came after its end too. */
export type LateHalfHour = { index: number; slot: number; halfHour: HalfHour };

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
  /** The half hour (1,800 s, counted from 1970) that is being filled; -1 before the first sample. */
  slot: () => number;
  /**
   * What a half hour that is over comes to with all of its samples, in the order of time; null where TLS time was measured in none.
   * Changes nothing. A RangeError where the half hour is not over.
   */
  lateHalfHour: (index: number, slot: number, samples: readonly Sample[]) => LateHalfHour | null;
  /** Replaces half hours; the next tests for lasting changes see them. */
  putLate: (late: readonly LateHalfHour[]) => void;
  /** The spikes that are under way after the last `advance`, in the order of series. */
  open: () => OpenSpike[];
  /** The spikes that the last `advance` found to be over; each once, and none before its detection. */
  closed: () => ClosedSpike[];
  /** What became of groups at the last `advance`: merged, or of another cause. None is named before its first detection. */
  changes: () => GroupChange[];
  /** When each vantage's prober was busy last, of those that ever were. */
  busy: () => BusyProber[];
  /**
   * Forgets series without a sample for 8 days, of which no half hour is left. Those that stay have other indexes then: the new ones by
   * the old ones, or null where none was forgotten. A forgotten one that is measured again is new.
   */
  forget: () => ReadonlyMap<number, number> | null;
  /**
   * Everything that is known, in pieces, made one by one: take them all before the next `advance`.
   * `createDetector(options, state)` goes on from there exactly, or throws an Error where it is of another version.
   */
  state: () => Iterable<Uint8Array<ArrayBuffer>>;
};

/** Finds spikes and lasting changes in many series at once. A detection depends on no sample after its `at`. */
export function createDetector(options: DetectorOptions = {}, frozen?: Frozen): Detector {
  const steps = resumeDetector(options, frozen ?? writeState(newState()));
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** A detector that goes on from a state, a step a series, so that other work can be done in between. */
export function* resumeDetector(options: DetectorOptions, frozen: Frozen): Generator<void, Detector> {
  const { head, series } = openState(frozen);
  const groups = new SeriesGroups();
  for (const each of series) {
    groups.add(each);
    yield;
  }
  return detectorOf(options, { ...head, series: groups.all }, groups);
}

function detectorOf(options: DetectorOptions, state: State, groups: SeriesGroups): Detector {
  const offsetOf = options.offsetOf ?? (() => shanghaiOffset);
  const spikesOn = options.spikesOn ?? ['tls'];
  function* advancing(timestamp: number, samples: readonly SeriesSample[]): Generator<void, Detection[]> {
    if (timestamp <= state.now) throw new RangeError(`${timestamp} does not come after ${state.now}`);
    const slot = slotOf(timestamp);
    const shifts = state.slot >= 0 && slot > state.slot ? yield* endHalfHour(state, groups, offsetOf, timestamp) : null;
    state.slot = slot;
    state.now = timestamp;
    const spikes = yield* raiseSpikes(state, groups, judgedSamples(state, groups, timestamp, samples));
    // Only a half hour's end concerns series without a sample.
    const concerned = shifts === null ? indexesOf(samples).map((index) => groups.at(index)) : state.series;
    state.closed = concerned.flatMap((series) => takeClosed(series, timestamp));
    const found = [...(shifts ?? []), ...spikes];
    const grouped = groupDetections(state.groups, found, (index) => {
      const { spike } = groups.at(index).tls;
      return spike.open && !spike.again && spike.calm < calmThreshold ? spike.runStart : null;
    });
    state.changes = grouped.changes;
    return found.map((raised, at) => {
      const group = grouped.groups[at] as DetectionGroup;
      const { index, period: _period, isOfProber: _isOfProber, ms: _ms, ...detection } = raised;
      return { ...detection, group: group.id, page: isPage(raised, group, groups.neighbours(index, 'target').length) };
    });
  }
  return {
    indexOf: (series) => groups.indexOf(series) ?? groups.add(newSeries(series, offsetOf(series, state.now), spikesOn)),
    advance(timestamp, samples) {
      const steps = advancing(timestamp, samples);
      for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
    },
    advancing,
    slot: () => state.slot,
    lateHalfHour(index, slot, samples) {
      if (slot >= state.slot) throw new RangeError(`half hour ${slot} is not over: ${state.slot} is being filled`);
      const halfHour = lateHalfHour(groups.at(index), slot, samples);
      return halfHour && { index, slot, halfHour };
    },
    putLate(late) {
      for (const { index, slot, halfHour } of late) putHalfHour(groups.at(index).halfHours, slot, halfHour);
    },
    open: () => openSpikes(state.series),
    closed: () => state.closed,
    changes: () => state.changes,
    busy: () =>
      Object.entries(state.probers).flatMap(([vantage, prober]) => {
        const busy = busyAt(prober, state.now);
        return busy === null ? [] : [{ vantage, ...busy }];
      }),
    forget() {
      const since = state.now - forgottenSeconds;
      // One of which nothing was ever judged has no last sample.
      const isKept = ({ last }: SeriesState) => last >= since || last === 0;
      if (state.series.every(isKept)) return null;
      const moved = groups.keep(isKept);
      renumberMembers(state.groups, moved);
      const vantages = new Set(state.series.map(({ id }) => id.vantage));
      for (const vantage of Object.keys(state.probers)) if (!vantages.has(vantage)) delete state.probers[vantage];
      return moved;
    },
    state: () => writeState(state),
  };
}

/** Those of an instant that say something of their targets: clean ones, of probers that are not busy. */
function judgedSamples(
  { probers }: State,
  groups: SeriesGroups,
  timestamp: number,
  samples: readonly SeriesSample[],
): readonly SeriesSample[] {
  if (!samples.some(({ sample }) => sample.ownDelay !== undefined)) return samples.filter(isClean);
  const vantageOf = ({ index }: SeriesSample) => groups.at(index).id.vantage;
  for (const [vantage, same] of Map.groupBy(samples, vantageOf)) {
    const prober = probers[vantage] ?? newProberDelay();
    probers[vantage] = prober;
    const delays = same.flatMap(({ sample }) => sample.ownDelay ?? []);
    observeOwnDelay(prober, timestamp, delays);
  }
  return samples.filter((each) => {
    const prober = probers[vantageOf(each)];
    return isClean(each) && !(prober && isBusy(prober));
  });
}

const isClean = ({ sample }: SeriesSample) => sample.clean !== false;

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
): Generator<void, Raised[]> {
  for (const series of state.series) {
    closeHalfHour(series, state.slot, offsetOf(series.id, at), at);
    yield;
  }
  state.groups = forgetGroups(state.groups, at);
  const accepted = yield* shiftsOf(groups, state.slot, at);
  return accepted.map(({ series, onset, effect, cause, shares }) => {
    const kind = effect > 0 ? 'regression' : 'improvement';
    const { baseline } = series.tls;
    const ms = baseline && Math.exp(baseline.median) * -Math.expm1(-effect);
    return raisedOn(groups, series, {
      kind,
      metric: 'tls',
      at,
      cause,
      changeAt: onset,
      effect,
      ms,
      ...(shares && { shares }),
    });
  });
}

function* raiseSpikes(state: State, groups: SeriesGroups, samples: readonly SeriesSample[]): Generator<void, Raised[]> {
  const raised = yield* spikesOf(groups, samples, state.now);
  return raised.map(({ series, onset, ...found }) =>
    raisedOn(groups, series, { kind: 'spike', at: state.now, changeAt: onset, ...found }),
  );
}

/** A detection whose group is not known yet. */
type Raised = Omit<Detection, 'group' | 'page'> & Ungrouped;

function raisedOn(
  groups: SeriesGroups,
  { id, period }: SeriesState,
  found: Omit<Raised, keyof Series | 'index' | 'period'>,
): Raised {
  return { ...id, ...found, index: groups.indexOf(id) as number, period };
}
