/** What a rule or a silence is about. */
export type Scope = { targetIds: readonly string[]; regions: readonly string[]; carriers: readonly string[] };

/** Whether a list of a filter takes a value: an empty list takes all, any other takes no value that is not known. */
export const takes = (list: readonly string[], value: string | null): boolean =>
  list.length === 0 || (value !== null && list.includes(value));

/** Whether a scope takes a cell: one target from one region on one carrier, null where it has none. */
export const matches = (
  { targetIds, regions, carriers }: Scope,
  cell: { targetId: string | null; region: string | null; carrier: string | null },
): boolean => takes(targetIds, cell.targetId) && takes(regions, cell.region) && takes(carriers, cell.carrier);
