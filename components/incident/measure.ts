import type { Incident } from '#contract/incident.ts';
import { METRICS, type Metric, STATS, type Stat } from '#contract/vocabulary.ts';

/** What is measured over time of an incident or of one of its series. */
export type Measure = { metric: Metric; stat: Stat; variant?: 'resumed' };

/** What charts and links show of an incident, or of one cell of it; null where it is about nothing that is measured over time. */
export function measureOf({
  kind,
  metric,
  evidence,
  cells,
}: Pick<Incident, 'kind' | 'metric' | 'evidence' | 'cells'>): Measure | null {
  if (kind === 'certificate' || kind === 'staple' || kind === 'silent') return null;
  if (kind === 'down' || metric === 'failures') return { metric: 'tls', stat: 'availability' };
  if (metric === 'refused') return { metric, stat: 'mean', variant: 'resumed' };
  const known = METRICS.find((name) => name === metric) ?? 'tls';
  const stat = kind === 'threshold' && typeof evidence.stat === 'string' ? evidence.stat : 'p50';
  const isResumed = cells.length > 0 && cells.every(({ variant }) => variant === 'resumed');
  return {
    metric: known,
    ...(isResumed && { variant: 'resumed' }),
    stat: STATS.find((each) => each === stat) ?? 'p50',
  };
}
