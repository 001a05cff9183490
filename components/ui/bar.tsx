/** A part of a bar in shares of its width; without `share` it is an instant. `token` is the CSS variable of its colour. */
type Span = { from: number; share?: number; token: string };

/** An instant, and what is shorter than this share, is so wide (px). */
const LEAST_SHARE = 0.005;
const LEAST_PX = 3;

/** Spans on a bar that says nothing to those who cannot see it. Drawn without style attributes, which the policy forbids. */
export function Bar({ spans, className }: { spans: Span[]; className: string }) {
  return (
    <svg className={`block w-full overflow-hidden ${className}`} aria-hidden="true">
      {spans.map(({ from, share = 0, token }) => (
        <g key={`${token} ${from}`} fill={`var(${token})`}>
          {share < LEAST_SHARE ? (
            // Moved to the left by as much of its own width: at the end of the bar it lies within.
            <svg x={percent(from)} width={LEAST_PX} height="100%" overflow="visible" aria-hidden="true">
              <rect x={-LEAST_PX * from} width={LEAST_PX} height="100%" rx="1" />
            </svg>
          ) : (
            <rect x={percent(from)} width={percent(share)} height="100%" rx="4" />
          )}
        </g>
      ))}
    </svg>
  );
}

const percent = (share: number) => `${Math.round(share * 10_000) / 100}%`;
