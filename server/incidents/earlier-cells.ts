import type { RuleOf } from '#contract/alert-rule.ts';
import { IncidentKind } from '#contract/incident-vocabulary.ts';
import { matches } from '#contract/scope.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import type { Detected } from './detected.ts';
import type { IncidentOpening } from './open.ts';
import { cellId, cellOf, type StoredCell } from './stored-incident.ts';

type Rule = RuleOf<'detector'>;

/** What a rule looks at, of a detection. */
type Judged = {
  kind: Detected['kind'];
  metric: string;
  cell: Pick<StoredCell, 'targetId' | 'region' | 'carrier'>;
};

/** Whether a rule asks to hear of a detection. */
export function wants(rule: Rule, { kind, metric, cell }: Judged): boolean {
  return rule.params.kinds.includes(kind) && (rule.metric === null || rule.metric === metric) && matches(rule, cell);
}

/** A stored detection, and where its vantage is: nulls where that was deleted. */
type Row = {
  id: string;
  groupKey: string;
  targetId: string;
  vantageId: string;
  region: string | null;
  carrier: string | null;
  variant: number;
  kind: string;
  metric: string;
  at: Date;
  changeAt: Date;
  beforeMs: number | null;
  afterMs: number | null;
};

/** What was found of an event earlier. */
export type EarlierCells = { cells: StoredCell[]; detectionIds: string[] };

/** All that was found so far of each finding's group and direction, as far as the rule wants it, by the group's name. */
export async function earlierCells(
  db: Prisma.TransactionClient,
  rule: Rule,
  openings: readonly IncidentOpening[],
): Promise<Map<string, EarlierCells>> {
  const kinds = new Map(openings.flatMap(({ groups, kind }) => groups.map((group) => [group, kind] as const)));
  const rows = await db.$queryRaw<Row[]>`
    select d.id, group_key as "groupKey", target_id as "targetId", vantage_id as "vantageId", region, carrier, variant, kind, metric,
      at, change_at as "changeAt", before_ms as "beforeMs", after_ms as "afterMs"
    from detection d left join vantage v on v.id = vantage_id
    where group_key = any(${[...kinds.keys()]}) order by at`;
  const wanted = rows
    .filter((row) => (row.kind === 'improvement') === (kinds.get(row.groupKey) === 'improvement'))
    .map((row) => ({ row, cell: detectionCell(row) }))
    .filter(({ row, cell }) => wants(rule, { kind: row.kind as Detected['kind'], metric: row.metric, cell }));
  const groups = Map.groupBy(wanted, ({ row }) => row.groupKey);
  return new Map([...groups].map(([group, same]) => [group, cellsOf(same)]));
}

/** The newest of what was found at a cell stands for it. */
function cellsOf(same: { row: Row; cell: StoredCell }[]): EarlierCells {
  const cells = new Map(same.map(({ cell }) => [cellId(cell), cell]));
  return { cells: [...cells.values()], detectionIds: same.map(({ row }) => row.id) };
}

/** What was found of several groups; undefined of none. */
export function cellsOfAll(found: readonly EarlierCells[]): EarlierCells | undefined {
  if (found.length <= 1) return found[0];
  const cells = new Map(found.flatMap((each) => each.cells).map((cell) => [cellId(cell), cell] as const));
  return { cells: [...cells.values()], detectionIds: found.flatMap(({ detectionIds }) => detectionIds) };
}

/** The cell of a stored detection. */
export const detectionCell = (row: Omit<Row, 'id' | 'groupKey'>): StoredCell =>
  cellOf({
    targetId: row.targetId,
    vantageId: row.vantageId,
    region: row.region,
    carrier: row.carrier,
    ...(row.variant === VARIANT_CODES.resumed && { variant: 'resumed' }),
    kind: IncidentKind.parse(row.kind),
    metric: row.metric,
    at: row.at,
    changeAt: row.changeAt,
    beforeMs: row.beforeMs,
    afterMs: row.afterMs,
  });
