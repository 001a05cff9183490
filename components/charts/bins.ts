export type DistributionLine = { name: string; token: string; dash: number[]; points: [number, number][] };

/** A distribution as its page has it: `edges` of the bins in ms, and of each line the shares (0 to 1) of the bins. */
export type Bins = { edges: number[]; lines: (Omit<DistributionLine, 'points'> & { shares: number[] })[] };

/** What is drawn: each bin's share at its lower edge, and nothing behind the last; or at upper edges the share of all up to there. */
export function binLines({ edges, lines }: Bins, bins: 'bars' | 'cumulative'): DistributionLine[] {
  return lines.map(({ shares, ...line }) => {
    if (bins === 'bars') return { ...line, points: edges.map((edge, bin) => [edge, shares[bin] ?? 0]) };
    let sum = 0;
    // The last bin has no upper edge, unless it is the only one.
    const points = shares.slice(0, Math.max(1, shares.length - 1)).map((share, bin): [number, number] => {
      sum += share;
      return [edges[bin + 1] ?? 0, sum];
    });
    return { ...line, points };
  });
}

/** What a bin holds, in the unit of its edges: the first and the last have but one end. */
export function binText(locale: string, edges: readonly number[], bin: number): string {
  const { format } = new Intl.NumberFormat(locale, { maximumSignificantDigits: 4 });
  const [low, high] = [format(edges[bin] ?? 0), format(edges[bin + 1] ?? 0)];
  if (bin === 0) return `≤ ${high}`;
  return bin === edges.length - 2 ? `> ${low}` : `${low} – ${high}`;
}

/** Logarithms of round values between two logarithms, at most so many and not close to each other. */
export function logTicks(min: number, max: number, most: number): number[] {
  const gap = (max - min) / Math.max(2, Math.min(10, most));
  const digits = max - min > 1 ? 1 : max - min > 0.1 ? 2 : 3;
  const ticks: number[] = [];
  for (let at = min; at <= max + 1e-9; at += gap) {
    const tick = Math.log(Number(Math.exp(at).toPrecision(digits)));
    if (tick >= min && tick <= max && tick - (ticks.at(-1) ?? Number.NEGATIVE_INFINITY) > 0.6 * gap) ticks.push(tick);
  }
  return ticks;
}
