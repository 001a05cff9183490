import type { StoredCell } from '#server/incidents/row.ts';

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
