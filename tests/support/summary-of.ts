import type { TargetSummary } from '#contract/target-summary.ts';

/** A target of the overview of which nothing stands out, but for these figures. */
export const summaryOf = (name: string, figures: Partial<TargetSummary> = {}): TargetSummary => ({
  id: name,
  name,
  url: `https://${name}.example/`,
  enabled: true,
  demo: false,
  managed: false,
  tags: [],
  p50: 30,
  p95: 60,
  availability: 1,
  n: 600,
  changeVsYesterday: 0,
  changeVsLastWeek: 0,
  lastResultAt: '2026-11-20T12:00:00.000Z',
  staleSince: null,
  places: [],
  failures: [],
  sparkline: [],
  usualHours: [],
  days: [],
  worst: null,
  usual: {},
  slowerSince: null,
  ...figures,
});
