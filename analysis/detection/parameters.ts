// Every threshold of the detector, by room: statistic, unit, source. Logarithms are natural, of milliseconds: 0.1 is about 10%.
//
// Sources: a paper by its name; «definition» where the value follows from another; «judged» where it lies under what
// `tests/bench/detect/world/labels.ts` judges (spikes from 30%, 15 ms and 3 samples, lasting changes from 8% and 3 ms);
// «bench» where it was chosen by the scores of `npm run bench -- detect`, with the recorded round trips of docs/detection.md
// as the check. After a change run both: a value that helps one style of world often costs another.

// ---- Time ----

/** Half hour over which means are taken, seconds. Definition. */
export const slotSeconds = 1_800;
/** Half hours of a day. Definition. */
export const slotsPerDay = 48;
/** Asia/Shanghai less UTC, seconds, without summer time: the offset where the caller gives none. Definition. */
export const shanghaiOffset = 8 * 3_600;

// ---- Statistics ----

/** Standard deviation of a normal distribution over its median absolute deviation, 1 / Φ⁻¹(3/4). Definition. */
export const sigmaPerMad = 1.4826;
/** Variance of a normal distribution over its squared mean absolute deviation, π/2. Definition. */
export const variancePerMeanDeviation = Math.PI / 2;
/** Reach of a limit, standard deviations: 0.13% of a normal distribution lie above. Shewhart's control limit (1931). */
export const sigmaLimit = 3;

// ---- history ----

/**
 * Length of the ring of single samples, seconds: a day, and two hours in which the same hour of yesterday stays whole. For as long after its
 * newest detection a group can be joined. Bench.
 */
export const historySeconds = 26 * 3_600;
/** Its greatest length, samples: 26 hours at a probe in 11.4 seconds. Memory. */
export const historyCapacity = 8_192;
/** Last probes of a series with all phases, samples. Bench. */
export const recentCapacity = 64;
/** Half hours that are kept: 8 days hold every day of the week. Definition. */
export const halfHourCapacity = 8 * slotsPerDay;
/** Half hours whose quartiles and think time are kept: `shiftWindows`, half a day before them and `referenceSlots` together are 156. Memory. */
export const causeCapacity = 160;
/** Winsorising of half-hour means: logarithm below the median, and to both sides of it before there is a baseline. Bench. */
export const winsorAt = 0.8;

// ---- baseline ----

/** Least excess of an unusual sample over the median, logarithm: 20%. Judged. */
export const excessFloor = Math.log(1.2);
/** Least excess of an unusual sample, ms. Judged. */
export const excessFloorMs = 9;
/** Upper mode of the samples (full handshakes among resumed ones), quantile: it bounds `sigmaLimit`. Bench. */
export const upperModeQuantile = 0.95;
/** Mode above which half-hour means are winsorised, quantile: one that holds a tenth of the samples counts. Bench. */
export const winsorQuantile = 0.9;
/** Least distance of that limit from the median, logarithm. Bench. */
export const winsorFloor = 0.3;

/** Half hours between two learnings of the daily shape, and below which a day has no level: 6 hours. Cost, and bench. */
export const shapePeriodSlots = 12;
/** Days of the other kind (working day, weekend) weigh as so many of one's own. Bench. */
export const otherKindWeight = 0.7;
/** Half hours below which no shape is learnt: less than most of a day does not tell it from a change. Bench. */
export const shapeLeastSlots = 40;
/** Standard deviation before any shape is learnt, logarithm: an evening may be so much above the morning. More hides a rise of 80% on a target's first day. Judged. */
export const spreadUnknown = 0.16;
/** Prior of the shape's standard deviation, logarithm. Bench. */
export const spreadPrior = 0.03;
/** The same, as a part of the shape's height. Bench. */
export const spreadPriorOfHeight = 0.3;

/**
 * Half hours of which a level is known: the reference of a window at least, those of the second day that are held against the first
 * day's to see whether a level changed on that day, and those on both sides of the instant at which it did. Bench.
 */
export const levelSlots = 9;

// ---- monitor ----

/** Samples by which something is known of them: what a spike is compared with, half a baseline, the smaller of two modes, a side of an onset, a share of refused sessions, a prober's own delay; memory of the probe period. Bench. */
export const leastSamples = 20;

/** Silence that ends an incident, seconds. Bench. */
export const incidentGapSeconds = 7_200;
/**
 * The longest spike, seconds: a change that begins within it of another is the same one again, or the same one on another series. The onset of a lasting change that took over twice as long to find may be
 * hours off. Judged.
 */
export const longestSpikeSeconds = 3 * 3_600;
/** Duration from which on an incident is the series' new level, seconds: over twice the longest spike. Judged. */
export const longestIncidentSeconds = 8 * 3_600;

/** Share of samples that exceed during an incident; half of it is the most that is usual of a series, so that a usual sample takes ln(0.2 / 0.6) away. Bench. */
export const incidentRate = 0.8;
/** Floor of a series' own rate of exceeding: bounds one sample's log-likelihood ratio at ln(0.8 / 0.005) = 5.1. Bench. */
export const usualRateFloor = 0.005;
/**
 * Threshold of the cumulative sum (Page 1954), log-likelihood ratio. Three samples in a row (3 · 5.1) cross it, or three of
 * four (3 · 5.1 - 1.6 = 13.6); two (10.2) never do. Judged.
 */
export const cusumThreshold = 13.5;
/** Threshold of the sum from which on an incident is quiet, though it may go on: five usual samples (5 · 1.6). Bench. */
export const calmThreshold = 8;
/** Seconds of usual samples after which an incident is over, and of silence after which a run of evidence is. Bench. */
export const quietSeconds = 1_800;
/** Range of values, logarithm: in an incident they are taken to be uniform over it above the limit, and modes are looked for so far to both sides. Bench. */
export const valueSpan = 1.6;
/** Half width of the kernel, logarithm, that estimates the series' own density at a value: 15%. Bench. */
export const densityHalfWidth = 0.15;
/** Added to what was counted where a share is estimated of it: Jeffreys' prior of a share. */
export const jeffreysPrior = 0.5;
/** Memory of what is learnt sample by sample: rates, a mean deviation, a prober's own delay; samples. Bench. */
export const rateMemory = 500;

/** Floor of the rate at which connect and TLS time are high together: ln(0.8 / 0.01) = 4.4, so four samples in a row. Bench. */
export const jointRateFloor = 0.01;

// ---- series ----

/** Cap of the probe period, seconds: the longest a sample file has. Definition. */
export const longestPeriod = 600;
/** Least lasting change of TLS time, ms; of TCP connect half of it. Judged. */
export const tlsShiftFloorMs = 2.4;
/** Share of a half hour's samples in a spike from which on the shape and the tests for lasting changes leave it out. Bench. */
export const calmSpikedShare = 0.2;

/** A series without a sample for so many seconds leaves the state: none of its half hours is left. Definition. */
export const forgottenSeconds = halfHourCapacity * slotSeconds;

// ---- spikes ----

/** Series that agree not by chance: vantages of a target's or carrier's pooled alert, and those that make a page where a target has `manySeries` others. Bench. */
export const leastTogether = 3;
/** Evidence with which a series takes part: that of one of three samples that would raise it alone. Definition. */
export const pooledEvidenceFloor = cusumThreshold / 3;
/** Times that something is seen not by chance: samples that each of two members has shown, SYNs sent again. Bench. */
export const leastRepeats = 2;
/** A series of one sample moved by no more, and no less, than the others' median times this. Bench. */
export const alikeRatio = 2;
/** Exceeding samples by which a series contradicts the cause of those that it was raised with. Bench. */
export const ownCauseSamples = 3;
/**
 * Age of a sample that counts, of a run that may be part of a beginning, and distance of an onset from a group's of one event (of another
 * scope too: the cause was mistaken on one series), probe periods, and at least, seconds. Bench.
 */
export const youngPeriods = 3;
export const youngSeconds = 300;

// ---- shifts ----

/**
 * Windows, half hours, with the standard errors and the effect (logarithm) asked for: the shorter, the surer; and of a small effect
 * surer again. Bench.
 */
export const shiftWindows = [
  { window: 9, z: 4.2, effect: 0.1 },
  { window: 14, z: 3.8, effect: 0.08 },
  { window: 24, z: 3.4, effect: 0.068 },
  { window: 36, z: 3.2, effect: 0.06 },
  { window: 36, z: 4, effect: 0.04 },
] as const;
/**
 * Factors where others agree: on the standard errors and on the effect that are asked, and what the effect is divided by of which a window
 * must show its shares, so that less of one must show more. Alone; with a second witness; with most of a group. Bench.
 */
export const shiftRelief = [
  { z: 1, effect: 1, shares: 1 },
  { z: 0.65, effect: 0.7, shares: 1 },
  { z: 0.45, effect: 0.6, shares: 0.7 },
] as const;
/** Reference before a window, half hours: two days. Bench. */
export const referenceSlots = 2 * slotsPerDay;
/** Floor of the standard deviation of half-hour means, logarithm: recorded round trips may not vary at all. */
export const sigmaFloor = 1e-4;
/** Cap of the lag-1 autocorrelation: standard errors grow threefold at most, √(1.8 / 0.2). Bench. */
export const autocorrelationCap = 0.8;
/**
 * Share of the effect that each third of a window, its calm part and the hours outside the daily peak must show; on the second day all half
 * hours but one of a change of the first, and what a share of a mode must explain of the means to be what changed. Bench.
 */
export const persistentShare = 0.55;
/** The share that every hour and a half of a window under half a day must show: two incidents are no lasting change. Bench. */
export const shortWindowShare = 0.25;
/** Shares that the first and the last hour of a window must show. Bench. */
export const firstHourShare = 0.35;
export const lastHourShare = 0.45;
/** Quartiles that move apart by more than this part of the effect, about a median that stays, are a change of variance. Bench. */
export const quartileOpposite = 0.15;
/** Prior of a series' wander, logarithm, and the windows that it weighs. Bench. */
export const wanderPrior = 0.015;
export const wanderPriorWeight = 2;

/** Low hours of a day, quantile of its shape. Bench. */
export const lowHoursQuantile = 0.2;
/** Hours outside the peak are under this part of its height. Bench. */
export const outsidePeak = 1 / 3;
/** Part of the shape's height by which one day's peak may differ: took 98 of 123 false changes away (decision 0011). Bench. */
export const peakVariation = 0.8;

/** Least winsorising of single samples about the midpoint of two levels, logarithm, and that about the divide of two modes. Bench. */
export const onsetWinsorFloor = 0.1;
/** Where the old and the new level are divided, part of their distance: nearer the old one, for onsets before a peak. Bench. */
export const onsetDivide = 0.4;
/** Age at which a change counts as lasting, and time before a window that is neither side of it, seconds: over the longest spike. Judged. */
export const lastingSeconds = 3.6 * 3_600;
/** Members of a group, and share of it, that must agree, by the relief that they earn. Bench. */
export const quorum = { 1: { members: 3, share: 0.5 }, 2: { members: 4, share: 0.5 } } as const;

// ---- shares ----

/** Bins in which modes are looked for, logarithm, and those to both sides that smooth one. Bench. */
export const modeBinWidth = 0.02;
export const modeSmoothing = 2;
/** Share of all samples of the last 26 hours that the smaller of two modes has. Bench. */
export const modeLeastShare = 0.05;
/** Smoothed count between two modes, part of the lower peak's: a valley, and not a shoulder. Bench. */
export const modeValley = 0.4;
/** Distance of two modes, in the sum of their deviations towards each other. Bench. */
export const modeSeparation = 2;
/** Part of that distance by which a mode may move while the share changes: else the level did. Bench. */
export const modeGapMoved = 0.25;
/** Standard errors by which a share must have changed, in any of `shiftWindows`: it is a second witness of a change of the means. Bench. */
export const shareZ = 3.6;

// ---- causes ----

/** Server: think time moved by this part of TLS time's milliseconds. Bench. */
export const serverShare = 0.25;
/** Connect over its usual time from which on a SYN was sent again, ms: the first repeat comes after 1 s (RFC 6298). */
export const repeatedSynMs = 900;
/** Network: by such a share more connections than before whose SYN was sent again. Bench. */
export const repeatedSynShare = 0.15;
/**
 * Coefficient of variation of round trips, and distance of two (logarithm), that tell milliseconds from round trips; distance from a whole
 * number of them. Bench.
 */
export const roundTripVariation = 0.2;

// ---- grouping ----

/** Series of one target or carrier by which a group throws a shadow on others of these. Bench. */
export const shadowLeastMembers = 4;
/** Share of a group's series in the shadow of a larger one from which on the two are one event. Bench. */
export const mergedShare = 0.8;
/** Regions that the members of a group at several carriers have in common at most. Bench. */
export const regionsMost = 8;
/** Seconds for which a spike of one series alone is a note, and no page. Definition. */
export const aloneSeconds = 30 * 60;
/** Least effect of a page, logarithm and ms; below it is a note: 20% and 9 ms of a spike, 5% and 3 ms of what lasts. Of a change of the first day, and of one of a share, the least that is one; of a busy prober's own delay, ms. Definition. */
export const pageFloor = {
  spike: { effect: Math.log(1.2), ms: 9 },
  lasting: { effect: Math.log(1.05), ms: 3 },
} as const;
/**
 * Least effect, logarithm and ms, of a lasting rise that is a page though it is seen on one series alone: +50% and 20 ms. A level
 * that wanders by less is what nine in ten of the false pages were. Bench.
 */
export const alonePageFloor = { effect: Math.log(1.5), ms: 20 } as const;
/** Series of a target of which two agree by chance. Bench. */
export const manySeries = 12;

/** Least evidence of refused sessions of a series that is pooled with others', log-likelihood ratio: one, once 20 are known. Judged. */
export const refusalEvidenceFloor = 3;

/** A prober is busy where its own delay is this many times its usual one, and as long as the least lasting rise that is a page. Judged. */
export const ownDelayRatio = 3;
/** Over so many seconds. */
export const ownDelayWindowSeconds = 60;
/** Seconds after which a busy prober's delays are its usual ones. Judged. */
export const longestBusySeconds = 3_600;
