import type { AlertRule } from '#contract/alert-rule.ts';
import { takes } from '#contract/scope.ts';
import { getPool } from '#server/database/database.ts';
import type { StoredCell } from '#server/incidents/stored-incident.ts';
import { type VantageLabels, vantageLabels } from '#server/vantages/labels.ts';

/** Something that a rule found to be amiss: `key` says what it is about, within the rule. */
export type Broken = {
  key: string;
  cells: StoredCell[];
  metric: string | null;
  onsetAt: Date;
  evidence: Record<string, unknown>;
  demo: boolean;
};

/** What a rule found. `healthy` are the keys that it looked at and found in order; of all others it does not know. */
export type Verdict = { broken: Broken[]; healthy: Set<string> };

export type RuleTarget = { id: string; demo: boolean; periodSeconds: number; updatedAt: Date };

/** The enabled targets that a rule is about. */
export async function targetsOf({ targetIds }: Pick<AlertRule, 'targetIds'>): Promise<RuleTarget[]> {
  const { rows } = await getPool().query<RuleTarget>(
    `select id, demo, period_seconds as "periodSeconds", updated_at as "updatedAt" from target
      where deleted_at is null and enabled and (cardinality($1::uuid[]) = 0 or id = any($1::uuid[])) order by id`,
    [targetIds],
  );
  return rows;
}

/** The vantages that a rule is about, by id; what was imported is not judged. */
export async function vantagesOf({
  regions,
  carriers,
}: Pick<AlertRule, 'regions' | 'carriers'>): Promise<Map<string, VantageLabels>> {
  const all = [...(await vantageLabels()).values()];
  const wanted = all.filter(
    ({ deleted, imported, region, carrier }) =>
      !deleted && !imported && takes(regions, region) && takes(carriers, carrier),
  );
  return new Map(wanted.map((vantage) => [vantage.id, vantage]));
}
