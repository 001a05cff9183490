/** How numbers and texts stand on a Result. */

/** Milliseconds in whole microseconds: finer than any clock here. */
export function roundMs(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** A text as a Result holds it: at most `max` characters, no half of a surrogate pair at the cut, NUL as U+FFFD. */
export function fitting(text: string, max: number): string {
  return text.slice(0, max).toWellFormed().replaceAll('\0', '\uFFFD');
}
