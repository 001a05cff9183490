import type { AlertRule } from '#contract/alert-rule.ts';
import { getPool } from '#server/database/database.ts';
import { type VantageLabels, vantageLabels } from '#server/vantages/labels.ts';

export type RuleTarget = { id: string; demo: boolean; periodSeconds: number; updatedAt: Date };

/** The enabled targets that a rule is about. */
export async function targetsOf({ targetIds }: AlertRule): Promise<RuleTarget[]> {
  const { rows } = await getPool().query<RuleTarget>(
    `select id, demo, period_seconds as "periodSeconds", updated_at as "updatedAt" from target
      where deleted_at is null and enabled and (cardinality($1::uuid[]) = 0 or id = any($1::uuid[])) order by id`,
    [targetIds],
  );
  return rows;
}

/** The vantages that a rule is about, by id. */
export async function vantagesOf({ regions, carriers }: AlertRule): Promise<Map<string, VantageLabels>> {
  const all = [...(await vantageLabels()).values()];
  const wanted = all.filter(
    ({ deleted, region, carrier }) =>
      !deleted &&
      (regions.length === 0 || regions.includes(region)) &&
      (carriers.length === 0 || carriers.includes(carrier)),
  );
  return new Map(wanted.map((vantage) => [vantage.id, vantage]));
}
