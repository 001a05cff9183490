import { expect, it } from 'vitest';
import { ProberReport } from '#contract/ingest.ts';
import { Reports } from '#workers/prober/report.ts';

function counting() {
  const stats = {
    checks: 3,
    inFlight: 1,
    threads: 2,
    started: 0,
    missed: 0,
    retaken: 0,
    unclean: 0,
    faults: 0,
    leftOut: 0,
    dropped: 0,
    rejected: 0,
    quarantined: 0,
    quarantineBytes: 0,
  };
  return { stats, reports: new Reports(() => ({ ...stats })) };
}

it('tells what happened since the last report that the server took', () => {
  const { stats, reports } = counting();
  Object.assign(stats, { started: 10, missed: 2, unclean: 1 });
  const first = reports.next();
  expect(ProberReport.parse(first.report)).toMatchObject({ checks: 3, threads: 2, started: 10, missed: 2, unclean: 1 });
  first.taken();
  Object.assign(stats, { started: 15, retaken: 1, dropped: 4 });
  expect(reports.next().report).toMatchObject({ started: 5, missed: 0, retaken: 1, unclean: 0, dropped: 4 });
});

it('covers the time of a report that was lost, from the same moment on', () => {
  const { stats, reports } = counting();
  stats.started = 10;
  const lost = reports.next();
  stats.started = 12;
  const next = reports.next();
  expect(next.report).toMatchObject({ started: 12, since: lost.report.since });
  next.taken();
  expect(reports.next().report.started).toBe(0);
});

it('counts what happened between the making and the taking of a report once', () => {
  const { stats, reports } = counting();
  const first = reports.next();
  stats.missed = 7;
  first.taken();
  expect(reports.next().report.missed).toBe(7);
});

it.each(['dropped', 'rejected', 'quarantined'] as const)(
  'is urgent until one with more %s results is taken',
  (loss) => {
    const { stats, reports } = counting();
    stats.started = 10;
    expect(reports.next().urgent).toBe(false);
    stats[loss] = 1;
    expect(reports.next().urgent).toBe(true);
    const next = reports.next();
    expect(next.urgent).toBe(true);
    next.taken();
    stats.missed = 3;
    expect(reports.next().urgent).toBe(false);
  },
);
