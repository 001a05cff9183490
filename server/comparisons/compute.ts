import { setImmediate as turn } from 'node:timers/promises';
import { tableOf } from '#analysis/comparison/attribution.ts';
import { comparing } from '#analysis/comparison/comparison.ts';
import type { Window } from '#analysis/comparison/pairs.ts';
import { modelOf } from '#analysis/comparison/prediction.ts';
import { type Sample, sampleOf } from '#analysis/comparison/sample.ts';
import { ComparisonOutcome, Milestone } from '#contract/comparison.ts';
import { headlineOf } from '#contract/comparison-headline.ts';
import type { Result } from '#contract/result.ts';
import { MEASURED_VARIANTS, type MeasuredVariant } from '#contract/vocabulary.ts';
import type { Prisma, Comparison as Row } from '#prisma/generated/client.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';
import { enqueueEvents } from '#server/webhooks/enqueue.ts';
import { MOST_OF_CONTROL, MOST_RESULTS, resultsIn } from './comparison-results.ts';
import { present } from './comparisons.ts';

/** A process that claimed a comparison and says nothing for so long has died. */
const CLAIM_MS = 5 * 60_000;
/** One that failed so often is given up, and says that there is too little data. */
const MOST_ATTEMPTS = 5;
/** So many windows before the change are compared with one another: A against A. */
const EARLIER_WINDOWS = 3;
/**
 * Windows (ms) that controls are read for: shorter ones say nothing of what lasts for minutes, and longer ones would be read for
 * long.
 */
const SHORTEST_CONTROLLED_MS = 10 * 60_000;
const LONGEST_CONTROLLED_MS = 86_400_000;
const MOST_OTHERS = 3;
/** Markers so near to an unmarked boundary are the change itself (ms). */
const NEAR_MS = 10 * 60_000;

/** Computes the comparisons that are due, one after the other. Returns how many. Any number of processes may do so. */
export async function computeDue(signal?: AbortSignal, now: () => Date = () => new Date()): Promise<number> {
  for (let computed = 0; ; computed++) {
    const row = signal?.aborted ? null : await claim(now());
    if (!row) return computed;
    // What cannot be stored is no outcome either.
    const outcome = await storableOutcome(row).catch((error: unknown) => {
      log.error({ err: error, comparison: row.id }, 'a comparison could not be computed');
      if (row.attempts < MOST_ATTEMPTS) throw error;
      const values = { pairs: 0, vantages: 0, leastPairs: 0, leastVantages: 0 };
      return { refusal: { reason: 'too_few', values }, figures: null } satisfies ComparisonOutcome;
    });
    await finish(row, outcome, now());
  }
}

async function storableOutcome(row: Row): Promise<ComparisonOutcome> {
  // Each process that took it earlier ended before it was done.
  if (row.attempts > MOST_ATTEMPTS) throw new Error(`given up after ${MOST_ATTEMPTS} attempts`);
  return ComparisonOutcome.parse(JSON.parse(JSON.stringify(await outcomeOf(row))));
}

async function claim(now: Date): Promise<Row | null> {
  const { rows } = await getPool().query<{ id: string }>(
    `update comparison set claimed_until = $2, attempts = attempts + 1 where id = (
        select id from comparison where computed_at is null and due_at <= $1 and (claimed_until is null or claimed_until < $1)
        order by due_at limit 1 for update skip locked)
      returning id`,
    [now, new Date(now.getTime() + CLAIM_MS)],
  );
  const [first] = rows;
  return first ? await getPrisma().comparison.findUnique({ where: { id: first.id } }) : null;
}

/** Writes the outcome and the event about it, unless another process did. */
async function finish(row: Row, outcome: ComparisonOutcome, now: Date): Promise<void> {
  await getPrisma().$transaction(async (tx) => {
    const { count } = await tx.comparison.updateMany({
      where: { id: row.id, computedAt: null },
      data: {
        outcome: outcome as unknown as Prisma.InputJsonObject,
        headline: headlineOf(outcome, Milestone.parse(row.milestone)) as unknown as Prisma.InputJsonObject,
        computedAt: now,
        claimedUntil: null,
      },
    });
    const done = count === 1 && (await tx.comparison.findUnique({ where: { id: row.id }, omit: { outcome: true } }));
    if (!done) return;
    const target = await tx.target.findUnique({ where: { id: row.targetId }, select: { name: true } });
    const comparison = present(done, new Map([[row.targetId, target?.name ?? row.targetId]]));
    const { headline, summary, ...rest } = comparison;
    await enqueueEvents(
      tx,
      [
        {
          type: 'comparison.ready',
          timestamp: now,
          incidentId: null,
          ruleId: null,
          severity: 'info',
          data: { ...rest, headline, summary, url: `/comparisons/${row.id}` },
          demo: row.demo,
        },
      ],
      now,
    );
  });
}

async function outcomeOf(row: Row): Promise<ComparisonOutcome> {
  const windows = {
    before: { from: row.beforeFrom.getTime(), to: row.beforeTo.getTime() },
    after: { from: row.afterFrom.getTime(), to: row.afterTo.getTime() },
  };
  const results = new Map<Sample, Result>();
  const samplesIn = async (window: Window) =>
    (await resultsIn(row.targetId, window, MOST_RESULTS)).flatMap((result) => {
      const sample = sampleOf(result);
      if (sample) results.set(sample, result);
      return sample ?? [];
    });
  const resultsOf = (samples: readonly Sample[]) => samples.flatMap((sample) => results.get(sample) ?? []);
  const [early, late] = [await samplesIn(windows.before), await samplesIn(windows.after)];
  const steps = comparing(early, late, {
    windows,
    milestone: Milestone.parse(row.milestone),
    earlier: await earlierOf(row.targetId, windows.before),
    otherTargets: await othersOf(row, windows),
    variants: await variantsOf(row.targetId, windows),
    otherChanges: await otherChanges(row, windows),
    predict: (before, after) => modelOf(resultsOf(before), resultsOf(after), tableOf(before, after)),
  });
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    // The jobs have other things to do.
    await turn();
  }
}

const samplesOf = (results: readonly Result[], variant: MeasuredVariant = 'main') =>
  results.flatMap((result) => sampleOf(result, variant) ?? []);

/** The windows before the first, of its length, the latest first. */
async function earlierOf(targetId: string, { from, to }: Window) {
  const length = to - from;
  if (length < SHORTEST_CONTROLLED_MS || length > LONGEST_CONTROLLED_MS) return [];
  const earlier = [];
  for (let back = 1; back <= EARLIER_WINDOWS; back++) {
    const window = { from: from - back * length, to: from - (back - 1) * length };
    earlier.push({ window, samples: samplesOf(await resultsIn(targetId, window, MOST_OF_CONTROL)) });
  }
  return earlier;
}

type Windows = { before: Window; after: Window };

/** The other handshakes of the checks in the same windows; those that are not made have no results. */
async function variantsOf(targetId: string, windows: Windows) {
  const variants = [];
  for (const variant of MEASURED_VARIANTS.filter((each) => each !== 'main')) {
    const [before, after] = [
      await resultsIn(targetId, windows.before, MOST_OF_CONTROL, variant),
      await resultsIn(targetId, windows.after, MOST_OF_CONTROL, variant),
    ];
    variants.push({ variant, before: samplesOf(before, variant), after: samplesOf(after, variant) });
  }
  return variants;
}

/** Some other targets in the same windows. */
async function othersOf({ targetId, demo }: Row, { before, after }: Windows) {
  if (before.to - before.from > LONGEST_CONTROLLED_MS) return [];
  const targets = await getPrisma().target.findMany({
    where: { deletedAt: null, enabled: true, demo, id: { not: targetId } },
    select: { id: true, name: true },
    orderBy: { id: 'asc' },
    take: MOST_OTHERS,
  });
  const others = [];
  for (const target of targets) {
    others.push({
      ...target,
      before: samplesOf(await resultsIn(target.id, before, MOST_OF_CONTROL)),
      after: samplesOf(await resultsIn(target.id, after, MOST_OF_CONTROL)),
    });
  }
  return others;
}

/** Other markers inside the windows. Near an unmarked boundary, a marker is the change itself. */
async function otherChanges({ targetId, markerId }: Row, { before, after }: Windows) {
  const [from, to] = [Math.min(before.from, after.from), Math.max(before.to, after.to)];
  const markers = await getPrisma().marker.findMany({
    where: {
      OR: [{ targetId: null }, { targetId }],
      at: { gt: new Date(from), lt: new Date(to) },
      ...(markerId === null ? {} : { id: { not: markerId } }),
    },
    select: { at: true, title: true },
    orderBy: { at: 'asc' },
    take: 100,
  });
  const changes = markers.map(({ at, title }) => ({ at: at.getTime(), title }));
  if (markerId !== null) return changes;
  return changes.filter(({ at }) => [before.to, after.from].every((edge) => Math.abs(at - edge) > NEAR_MS));
}
