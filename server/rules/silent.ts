import type { RuleOf } from '#contract/alert-rule.ts';
import { mayBeSealed } from '#server/blocks/blocks.ts';
import { newestSealed } from '#server/blocks/scan.ts';
import { getPool } from '#server/database/database.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import { type Broken, targetsOf, type Verdict, vantagesOf } from './verdict.ts';

/** Results take a while to arrive: this is added to the periods, seconds. */
const ARRIVAL_SECONDS = 120;

/** The most frequent check of a vantage, and whether anything came of any within its time. */
type Vantage = {
  id: string;
  proberId: string;
  host: string | null;
  periodSeconds: number;
  hasResults: boolean;
  lastSeenAt: Date | null;
};

/**
 * Vantages whose prober worked and from which nothing has come for some periods of their most frequent check: those of one prober are
 * amiss together. Checks that are newer than that are not counted, nor is the time before `upSince`: while the server was down nothing
 * could arrive.
 */
export async function judgeSilent(rule: RuleOf<'silent'>, now: Date, upSince: Date): Promise<Verdict> {
  const places = await vantagesOf(rule);
  const targetIds = (await targetsOf(rule)).map(({ id }) => id);
  const verdict: Verdict = { broken: [], healthy: new Set() };
  const asked = await checkedVantages(targetIds, [...places.keys()], rule.params.periods, now);
  for (const [proberId, vantages] of Map.groupBy(asked, (vantage) => vantage.proberId)) {
    const key = `silent:${proberId}`;
    const silent: Silent[] = [];
    let isKnown = true;
    for (const vantage of vantages) {
      const since = now.getTime() - secondsOf(vantage, rule.params.periods) * 1_000;
      if (vantage.hasResults || (await isSealedSince(targetIds, vantage.id, since))) continue;
      const place = places.get(vantage.id);
      if (place && upSince.getTime() <= since) silent.push({ ...vantage, place, since: new Date(since) });
      else isKnown = false;
    }
    if (silent.length > 0) verdict.broken.push(brokenOf(key, silent, vantages.length, now));
    else if (isKnown) verdict.healthy.add(key);
  }
  return verdict;
}

/** Whether a day that is sealed holds a result of a vantage since an instant (ms): of a seldom check it may be the last. */
async function isSealedSince(targetIds: string[], vantageId: string, from: number): Promise<boolean> {
  if (!mayBeSealed(from)) return false;
  const asked = { targetIds, vantageIds: [vantageId], variant: null, mainId: null, from, to: null };
  const { rows } = await newestSealed(asked, null, 1, Number.POSITIVE_INFINITY);
  return rows.length > 0;
}

const secondsOf = ({ periodSeconds }: Vantage, periods: number) => periodSeconds * periods + ARRIVAL_SECONDS;

async function checkedVantages(
  targetIds: string[],
  vantageIds: string[],
  periods: number,
  now: Date,
): Promise<Vantage[]> {
  const { rows } = await getPool().query<Vantage>(
    `with asked as (
        select c.vantage_id as id, min(t.period_seconds) as period from "check" c join target t on t.id = c.target_id
        where c.deleted_at is null and t.id = any($1::uuid[]) and c.vantage_id = any($2::uuid[])
          and t.updated_at < $3::timestamptz - make_interval(secs => t.period_seconds * $4::int + $5::int)
        group by c.vantage_id),
      longest as (select coalesce(max(period), 0) * $4::int + $5::int as seconds from asked),
      latest as (
        select r.vantage_id as id, max(r.started_at) as at from unnest($1::uuid[]) as t (id) cross join lateral (
          select vantage_id, started_at from result where target_id = t.id
            and started_at >= $3::timestamptz - make_interval(secs => (select seconds from longest))) r
        group by r.vantage_id)
      select asked.id, p.id as "proberId", p.host, asked.period as "periodSeconds", p.last_seen_at as "lastSeenAt",
          coalesce(latest.at >= $3::timestamptz - make_interval(secs => asked.period * $4::int + $5::int), false) as "hasResults"
        from asked join vantage v on v.id = asked.id join prober p on p.id = v.prober_id
        left join latest on latest.id = asked.id
        where p.created_at < $3::timestamptz - make_interval(secs => asked.period * $4::int + $5::int)
        order by asked.id`,
    [targetIds, vantageIds, now, periods, ARRIVAL_SECONDS],
  );
  return rows;
}

type Silent = Vantage & { place: VantageLabels; since: Date };

/** The silent ones of the `asked` vantages of a prober. */
function brokenOf(key: string, silent: readonly Silent[], asked: number, now: Date): Broken {
  const onsetAt = new Date(Math.min(...silent.map(({ since }) => since.getTime())));
  const [first] = silent;
  return {
    key,
    cells: silent.map(({ id, place: { region, carrier }, since }) =>
      cellOf({ targetId: null, vantageId: id, region, carrier, kind: 'silent', at: now, changeAt: since }),
    ),
    metric: null,
    onsetAt,
    evidence: {
      silentSeconds: Math.round((now.getTime() - onsetAt.getTime()) / 1_000),
      prober: { host: first?.host ?? null, vantages: asked, silent: silent.length },
      proberLastSeenAt: first?.lastSeenAt?.toISOString() ?? null,
    },
    demo: silent.every(({ place }) => place.demo),
  };
}
