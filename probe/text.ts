/** A text as a Result holds it: at most `max` characters, no half of a surrogate pair at the cut, NUL as U+FFFD. */
export function fitting(text: string, max: number): string {
  return text.slice(0, max).toWellFormed().replaceAll('\0', '\uFFFD');
}
