import { type RankedTarget, rankTargets } from '#components/target/rank.ts';
import type { Incident } from '#contract/incident.ts';
import { INCIDENT_KINDS } from '#contract/incident-vocabulary.ts';
import { listTargetSummaries } from '#server/figures/target-summaries.ts';
import { listIncidents } from '#server/incidents/incidents.ts';
import { targetMarksSince } from '#server/incidents/target-incidents.ts';

/** At most so many incidents are shown; further ones are on their own page. */
const INCIDENTS = 50;
/** What became faster is nothing to look at. */
const PROBLEMS = INCIDENT_KINDS.filter((kind) => kind !== 'improvement');

type Marks = Awaited<ReturnType<typeof targetMarksSince>>;
/** The state of everything: all targets, those to look at first; the incidents that go on; what happened since the asked instant. */
export type Board = { ranked: RankedTarget[]; incidents: Incident[]; marks: Marks };

/** Reads the state of everything; `since` in ms. */
export async function currentBoard(since: number): Promise<Board> {
  const [summaries, marks, incidents] = await Promise.all([
    listTargetSummaries(),
    targetMarksSince(new Date(since)),
    listIncidents({ status: ['open', 'acknowledged'], kind: PROBLEMS, order: 'impact', limit: INCIDENTS }),
  ]);
  const ranked = rankTargets(summaries, Date.now(), new Map([...marks].map(([id, { open }]) => [id, open])));
  return { ranked, incidents: incidents.data, marks };
}
