/** A stretch of the generated past, epoch seconds, half-open. */
export type PastWindow = { from: number; to: number };

const DAY = 86_400;
/** How long the past of the demo is. */
export const PAST_DAYS = 14;
/** China keeps UTC+8 all year. */
const SHANGHAI = 8 * 3_600;

/** The past of a demo that was made at this time (epoch ms): it ends with the whole minute in which measuring begins. */
export function pastBefore(madeAtMs: number): PastWindow {
  const to = Math.floor(madeAtMs / 60_000) * 60;
  return { from: to - PAST_DAYS * DAY, to };
}

/** An hour of the clock in China so many calendar days (1 to 13) before the window ends; always within the window. */
export function localHour({ to }: PastWindow, daysBefore: number, hour: number): number {
  const midnight = Math.floor((to + SHANGHAI) / DAY) * DAY - SHANGHAI;
  return midnight - daysBefore * DAY + Math.round(hour * 3_600);
}
