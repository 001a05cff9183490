/** A part of a bar in shares of its width; without `share` it is an instant. `token` is the CSS variable of its colour. */
type Span = { from: number; share?: number; token: string };

/** An instant, and what is too short to be seen, is so wide (px). */
const LEAST_PX = 3;

/** Spans on a bar that says nothing to those who cannot see it. Drawn without style attributes, which the policy forbids. */
export function Bar({ spans, className }: { spans: Span[]; className: string }) {
  return (
    <svg className={`block w-full overflow-hidden ${className}`} aria-hidden="true">
      {spans.map(({ from, share = 0, token }) => (
        <g key={`${token} ${from}`} fill={`var(${token})`}>
          <rect x={percent(from)} width={percent(share)} height="100%" rx="4" />
          {/* Percents of the width alone: an instant at the end of the bar lies within it. */}
          <svg x={percent(from)} width={LEAST_PX} height="100%" overflow="visible" aria-hidden="true">
            <rect x={-LEAST_PX * from} width={LEAST_PX} height="100%" rx="1" />
          </svg>
        </g>
      ))}
    </svg>
  );
}

const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`;
