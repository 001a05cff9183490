const STEPS = [1, 2, 5];
/** More of them than this are too close to each other to have labels. */
const MOST = 8;

/**
 * Ticks of a logarithmic axis over values from `low` to `high`, the first at or below and the last at or above them: of each power of ten
 * 1, 2 and 5, or 1 alone where these are too many. A flat line has room on both sides of it. Values that are not above zero have no place on
 * the axis: without others it is three powers of ten.
 */
export function logTicks(low: number, high: number): number[] {
  const top = high > 0 ? high : 1;
  const bottom = low > 0 && low <= top ? low : top / 1_000;
  const ticks = ticksOver(bottom, top, STEPS);
  return ticks.length <= MOST ? ticks : ticksOver(bottom, top, [1]);
}

function ticksOver(low: number, high: number, steps: readonly number[]): number[] {
  // One more power on both sides: a logarithm is rounded.
  const first = Math.floor(Math.log10(low)) - 1;
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 2 }, (_, index) => first + index);
  // 10 ** -1 times 2 is not 0.2 to the last digit.
  const all = powers.flatMap((power) => steps.map((step) => Number(`${step}e${power}`)));
  const from = all.findLastIndex((tick) => tick <= low);
  const to = all.findIndex((tick) => tick >= high);
  const room = from === to ? 1 : 0; // all values are at one tick
  return all.slice(from - room, to + room + 1);
}
