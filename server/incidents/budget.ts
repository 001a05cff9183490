// A budget of false pages. The detector raises a false alarm on a series now and then, whatever the series; with ten thousand of them that is
// some every hour. False alarms on different series are independent of each other, and two of them within an hour on one target or carrier
// are rare: so the number of series that a page needs follows from how many there are, and the expected number of false pages does not
// grow with them. A bound by Bonferroni's inequality: all series of a scope count as candidates for a coincidence.

/** False alarms a series and week: the upper end of what `npm run bench -- detect` finds on untuned worlds (0.02 to 0.05). */
export const FALSE_ALARMS_SERIES_WEEK = 0.05;
/** Alarms so close to each other are one page (analysis/detection/grouping.ts), as a part of a week. */
const TOGETHER = 1 / 168;
/** More series are never asked for. */
const MOST_ASKED = 10;

/** How much is watched: all series, and the most of one target or carrier. */
export type Watched = { series: number; scope: number };

/** False pages a week that are to be expected of pages of exactly so many series. */
function expectedOf(series: number, watched: Watched): number {
  let expected = watched.series * FALSE_ALARMS_SERIES_WEEK;
  for (let more = 1; more < series; more++)
    expected *= ((watched.scope - more) * FALSE_ALARMS_SERIES_WEEK * TOGETHER) / more;
  return Math.max(0, expected);
}

/** False pages a week that are to be expected where a page needs at least so many series. */
export function expectedFalsePages(least: number, watched: Watched): number {
  let sum = 0;
  for (let series = least; series <= least + MOST_ASKED; series++) sum += expectedOf(series, watched);
  return sum;
}

/** The least number of series with which the expected false pages a week stay within a budget; 1 to `MOST_ASKED`. */
export function leastSeriesFor(pagesPerWeek: number, watched: Watched): number {
  let least = 1;
  while (least < MOST_ASKED && expectedFalsePages(least, watched) > pagesPerWeek) least += 1;
  return least;
}
