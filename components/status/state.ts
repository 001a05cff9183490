import type { RankedTarget } from '../target/rank.ts';

/** The state of targets together: how many have problems; `unmeasured` where nothing is known of any. */
export function stateOf(targets: readonly RankedTarget[]): {
  state: 'none' | 'unmeasured' | 'troubled' | 'fine';
  troubled: number;
} {
  const troubled = targets.filter(({ urgent }) => urgent).length;
  if (targets.length === 0) return { state: 'none', troubled };
  if (troubled > 0) return { state: 'troubled', troubled };
  return { state: targets.some(({ target }) => target.n > 0) ? 'fine' : 'unmeasured', troubled };
}
