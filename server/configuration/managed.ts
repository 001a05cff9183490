import { type Configuration, SECTIONS, type Section } from '#contract/configuration.ts';
import { queryRows } from '#server/database/database.ts';

const THERE = 'deleted_at is null and not demo';
/** Where the things of a section are, by what they are named there, and which of them a document can name. */
const STORED: Record<Section, { table: string; name: string; where: string }> = {
  targets: { table: 'target', name: 'name', where: THERE },
  alertRules: { table: 'alert_rule', name: 'name', where: THERE },
  webhooks: { table: 'webhook', name: 'name', where: THERE },
  silences: { table: 'silence', name: 'comment', where: '(ends_at is null or ends_at > $2::timestamptz)' },
};

/**
 * Marks what an applied document names as kept as code, and takes the mark from what it does not name, of the kinds that are in it. A mark is
 * set once and stays, and is no change of the thing: `updated_at` stays too.
 */
export async function markManaged(document: Configuration, now: Date): Promise<void> {
  for (const section of SECTIONS) {
    const names = document[section]?.map(({ name }) => name);
    if (names === undefined) continue;
    const { table, name, where } = STORED[section];
    await queryRows(
      `update ${table} set managed_at = case when ${name} = any($1::text[]) then $2::timestamptz end
        where (managed_at is not null) <> (${name} = any($1::text[])) and ${where}`,
      [names, now],
    );
  }
}
