import type { AlertRule, RuleAchieved } from '#contract/alert-rule.ts';
import { getPool } from '#server/database/database.ts';

/** Counted over so many days, or since the rule was made. */
const DAYS = 28;
const DAY_MS = 86_400_000;
/** A spike of one series that is over so soon after it opened counts as false; half an hour of it is the wait for the end. */
const SOON_MINUTES = 45;

/**
 * Says of each rule of the detector how many pages it made: incidents about which a message went out, without what became part of others.
 * False is what a person called not useful, and a spike of one series that was over within minutes.
 */
export async function withAchieved(rules: readonly AlertRule[], now: Date): Promise<AlertRule[]> {
  const asked = rules.filter(({ kind }) => kind === 'detector');
  if (asked.length === 0) return [...rules];
  const daysOf = ({ createdAt }: AlertRule) =>
    Math.min(DAYS, Math.max(1, (now.getTime() - Date.parse(createdAt)) / DAY_MS));
  const { rows } = await getPool().query<{ id: string; pages: number; falsePages: number }>(
    `select i.rule_id as id, count(*)::int as pages, (count(*) filter (where
        exists (select from incident_event e where e.incident_id = i.id and e.kind = 'not_useful' and not e.params ? 'undone')
        or (i.kind = 'spike' and i.notified_series <= 1 and i.resolution = 'recovered'
          and i.resolved_at < i.opened_at + $3::int * interval '1 minute')))::int as "falsePages"
      from unnest($1::uuid[], $2::timestamptz[]) rule (id, since) join incident i on i.rule_id = rule.id
      where i.notified_at is not null and i.merged_into is null and i.kind <> 'improvement' and i.opened_at > rule.since
      group by i.rule_id`,
    [asked.map(({ id }) => id), asked.map((rule) => new Date(now.getTime() - daysOf(rule) * DAY_MS)), SOON_MINUTES],
  );
  const counted = new Map(rows.map((row) => [row.id, row]));
  return rules.map((rule) => {
    if (rule.kind !== 'detector') return rule;
    const { pages = 0, falsePages = 0 } = counted.get(rule.id) ?? {};
    const days = daysOf(rule);
    const achieved: RuleAchieved = { days: Math.round(days), pages, falsePages, falsePerWeek: (falsePages * 7) / days };
    return { ...rule, achieved };
  });
}
