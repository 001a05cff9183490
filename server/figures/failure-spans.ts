import { FailureKind, type FailureSpan } from '#contract/failure.ts';
import type { Series } from '#contract/query.ts';
import { IS_MAIN } from '#server/database/codes.ts';
import { getPool } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import type { Places } from '#server/vantages/labels.ts';
import { type Locations, locationsOf } from './cells.ts';
import type { Lines } from './series.ts';

/** From this share of failed probes on, a step of a trend is marked: what counts as failing everywhere else. */
const FAILING = 0.01;
/** Most spans of a trend, the longest; more marks than these hide each other. */
export const MAX_SPANS = 12;
/** A target that is probed seldom has steps without a probe: failures on both sides of so short a gap are one span. */
const BRIDGE_MS = 600_000;
/** Most failed results that are read of a span, the latest. */
const MOST = 1_000;

/** Series of which the spans are told. */
export const AVAILABILITY: Lines = { metric: 'tls', stat: 'availability', groupBy: [] };

/** Steps in a row in which probes failed; in ms since 1970. */
type Run = { from: number; to: number; lasting: boolean; failed: number; probes: number };

/**
 * When a target failed over a range, and why: steps of its AVAILABILITY at these places from the rollups, and the reason from up to
 * MOST results of each span. `total` counts the spans that there are; `now` in ms.
 */
export async function failureSpans(
  target: string,
  { stepSeconds, series }: Series,
  places: Places,
  now = Date.now(),
): Promise<{ spans: FailureSpan[]; total: number }> {
  const runs = runsOf(series[0]?.points ?? [], stepSeconds * 1_000, now);
  const longest = runs.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MAX_SPANS);
  const shown = longest.toSorted((a, b) => a.from - b.from);
  return { spans: await explained(target, shown, locationsOf(places)), total: runs.length };
}

function runsOf(points: [string, number | null, number][], stepMs: number, now: number): Run[] {
  const runs: Run[] = [];
  let broken = false;
  for (const [at, value, n] of points) {
    if (value === null) continue;
    if (1 - value < FAILING) {
      broken = true;
      continue;
    }
    const from = Date.parse(at);
    const last = runs.at(-1);
    const failed = (1 - value) * n;
    if (last && !broken && from - last.to <= Math.max(BRIDGE_MS, stepMs))
      Object.assign(last, { to: from + stepMs, failed: last.failed + failed, probes: last.probes + n });
    else runs.push({ from, to: from + stepMs, lasting: false, failed, probes: n });
    broken = false;
  }
  const last = runs.at(-1);
  // A range of the past ends in the middle of what may be over by now.
  if (last && !broken) last.lasting = now - last.to <= Math.max(BRIDGE_MS, stepMs);
  return runs;
}

type Row = { place: number; phase: number; reason: number; source: number; vantages: string[] };

async function explained(target: string, runs: Run[], locations: Locations): Promise<FailureSpan[]> {
  if (runs.length === 0) return [];
  const { rows } = await getPool().query<Row>(
    `select s.place::int as place, phase, reason, source, vantages
      from unnest($2::float8[], $3::float8[]) with ordinality as s (since, until, place)
      cross join lateral (
        select failure_phase_id as phase, failure_reason_id as reason, failure_source_id as source, count(*) as n,
          array_agg(distinct vantage_id) as vantages
        from (
          select * from result where target_id = $1 and not ok and ${IS_MAIN} and vantage_id = any($4::uuid[])
            and started_at >= to_timestamp(s.since / 1000) and started_at < to_timestamp(s.until / 1000)
          order by started_at desc limit ${MOST}
        ) latest
        where failure_reason_id is not null group by 1, 2, 3
      ) kinds
      order by s.place, n desc`,
    [target, runs.map(({ from }) => from), runs.map(({ to }) => to), [...locations.groups.keys()]],
  );
  const strings = await stringsOf(new Set(rows.flatMap(({ phase, reason, source }) => [phase, reason, source])));
  const byRun = Map.groupBy(rows, ({ place }) => place);
  return runs.map(({ from, to, lasting, failed, probes }, index) => {
    const kinds = (byRun.get(index + 1) ?? []).flatMap(({ phase, reason, source, vantages }) => {
      const named = { phase: strings.get(phase), reason: strings.get(reason), source: strings.get(source) };
      const kind = FailureKind.safeParse(named).data;
      // What the prober got wrong is not among the failures that availability counts.
      return kind && kind.source !== 'prober' ? [{ kind, vantages }] : [];
    });
    const indices = new Set((kinds[0]?.vantages ?? []).flatMap((id) => locations.groups.get(id) ?? []));
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      lasting,
      share: probes > 0 ? failed / probes : 0,
      failure: kinds[0]?.kind ?? null,
      places: [...indices]
        .flatMap((at) => locations.cells[at] ?? [])
        .map(({ region, carrier }) => ({ region, carrier })),
    };
  });
}
