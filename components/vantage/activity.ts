import type { ProberActivity, Vantage } from '#contract/vantage.ts';

/** Shares of the runs of an hour above which a prober is called overloaded. */
export const MOST_MISSED = 0.01;
export const MOST_UNCLEAN = 0.05;

type Runs = ProberActivity['lastHour'];

/** Missed runs among those that were due; null where none was. */
export const missedShare = ({ started, missed }: Runs) => shareOf(missed, started + missed);

/** Unclean results among all runs, those that were taken again too; null where there were none. */
export const uncleanShare = ({ started, retaken, unclean }: Runs) => shareOf(unclean, started + retaken);

const shareOf = (part: number, whole: number) => (whole === 0 ? null : Math.min(1, part / whole));

/** Whether a prober missed or spoilt too many runs of the last hour. */
export const isOverloaded = ({ prober }: Vantage) =>
  prober !== null &&
  ((missedShare(prober.lastHour) ?? 0) > MOST_MISSED || (uncleanShare(prober.lastHour) ?? 0) > MOST_UNCLEAN);
