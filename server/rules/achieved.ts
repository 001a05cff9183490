import { getPool } from '#server/database/database.ts';

/** How many pages a rule made in the last weeks, and how many of them were false. */
export type Achieved = { days: number; pages: number; falsePages: number; falsePerWeek: number };

/** Counted over so many days, or since the rule was made. */
const DAYS = 28;
const DAY_MS = 86_400_000;
/** A spike of one series that is over so soon after it opened counts as false; half an hour of it is the wait for the end. */
const SOON_MINUTES = 45;

/**
 * The pages of a rule about which a message went out, those of the demo and what became part of others left out. False is what a person
 * called not useful, and a spike of one series that was over within minutes.
 */
export async function achievedBy(rule: { id: string; createdAt: string }, now: Date): Promise<Achieved> {
  const days = Math.min(DAYS, Math.max(1, (now.getTime() - Date.parse(rule.createdAt)) / DAY_MS));
  const { rows } = await getPool().query<{ pages: number; falsePages: number }>(
    `select count(*)::int as pages, (count(*) filter (where
        exists (select from incident_event e where e.incident_id = i.id and e.kind = 'not_useful' and not e.params ? 'undone')
        or (i.kind = 'spike' and i.told_series <= 1 and i.resolution = 'recovered'
          and i.resolved_at < i.opened_at + $3::int * interval '1 minute')))::int as "falsePages"
      from incident i
      where i.rule_id = $1 and i.told_at is not null and i.merged_into is null and i.kind <> 'improvement'
        and i.opened_at > $2`,
    [rule.id, new Date(now.getTime() - days * DAY_MS), SOON_MINUTES],
  );
  const { pages = 0, falsePages = 0 } = rows[0] ?? {};
  return { days: Math.round(days), pages, falsePages, falsePerWeek: (falsePages * 7) / days };
}
