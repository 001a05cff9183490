import type { Detection } from '#analysis/detection/detection.ts';
import { repeatedShiftSeconds } from '#analysis/detection/parameters.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { VARIANT_CODES } from '#server/database/codes.ts';
import { getPrisma } from '#server/database/database.ts';
import { wholeSince } from '#server/database/retention.ts';
import { Checkpoints, loadCheckpoint } from '#server/detection/checkpoint.ts';
import { consumeTick, inTurns, type Raised } from '#server/detection/consume.ts';
import { Engine } from '#server/detection/detection.ts';
import { readSamples } from '#server/detection/samples.ts';
import { noWork } from '#server/detection/status.ts';
import { log } from '#server/environment/log.ts';
import { type Detected, describeDetections, storeDetections } from '#server/incidents/detected.ts';
import { recordDetections } from '#server/incidents/record.ts';
import { cellId, lockInOrder } from '#server/incidents/row.ts';
import { rulesOf } from '#server/rules/rules.ts';
import { vantageLabels } from '#server/vantages/labels.ts';
import { type History, TRANSACTION } from './memory.ts';
import { cellsOpenAt, judgeInSilence, relearnBefore } from './relearn.ts';

// The second detector: it goes in order through what was not judged when the first one began with the present. What it raises is set
// aside stretch by stretch. Now and then its state is stored: whoever continues goes on from there, and raises the same again. At the
// end, in one transaction, incidents are made of all of it: none is ever seen half-told, nobody is notified, and incidents of the
// present are left alone. Its state is thrown away. Where the present falls far behind again meanwhile, that is a history of its own,
// which has its turn when the one before is done: what lies between was judged already.

/** Results that are consumed at once: about a second of CPU time. */
const SAMPLES_AT_ONCE = 20_000;
const SHORTEST_STRETCH = 60;
const LONGEST_STRETCH = 4 * 3_600;
/** Its state is stored after so many results, or so many of each series, whichever are more: storing takes a fifth of the time of these. */
export const CHECKPOINT_SAMPLES = 100_000;
const CHECKPOINT_SAMPLES_PER_SERIES = 300;
const TABLE = 'detector_history_checkpoint';

/** What a stretch raised, with the levels as they were measured then. */
type Stretch = Pick<Raised, 'closed' | 'changes'> & { found: Detected[] };

/**
 * Notes that [from, until) is to be gone through, beginning with what `engine` knows (null: nothing). Where there is history that is
 * not done yet it comes after that; it is part of it where the present has judged nothing in between.
 */
export async function beginHistory(from: number, until: number, engine: Engine | null): Promise<void> {
  const last = await getPrisma().detectorHistory.findFirst({ orderBy: { id: 'desc' } });
  if (last && from <= last.until) {
    await getPrisma().detectorHistory.update({ where: { id: last.id }, data: { until } });
    return;
  }
  if (!last) {
    await getPrisma().detectorHistoryCheckpoint.deleteMany();
    if (engine) await store(engine, from);
  }
  await getPrisma().detectorHistory.create({ data: { id: (last?.id ?? 0) + 1, from, position: from, until } });
}

const store = (engine: Engine, position: number) =>
  new Checkpoints(undefined, TABLE).save({ seq: position, to: position, state: engine.state(), late: 0 });

/** The second detector where it was; null where there is nothing to go through. */
export async function rememberHistory(): Promise<History | null> {
  const row = await getPrisma().detectorHistory.findFirst({ orderBy: { id: 'asc' } });
  if (!row) return null;
  const { id, from, until } = row;
  const checkpoint = await loadCheckpoint(TABLE);
  const position = checkpoint?.to ?? from;
  const engine = checkpoint ? await inTurns(Engine.resuming(checkpoint.state)) : await beginningAt(row);
  await getPrisma().detectorHistoryRaised.deleteMany({ where: { to: { gt: position } } });
  log.info({ position, until }, 'history is gone through behind the present');
  return { engine, id, from, position, until, span: SHORTEST_STRETCH, sinceCheckpoint: 0 };
}

/** What was known at the beginning of a history: nothing in the first one. Before a later one the present was there: that is learnt anew. */
async function beginningAt({ id, from }: Pick<History, 'id' | 'from'>): Promise<Engine> {
  const engine = new Engine();
  if (id === 1) return engine;
  const { until } = await relearnBefore(engine, from);
  await judgeInSilence(engine, until, from);
  engine.adopt(await cellsOpenAt(from));
  await store(engine, from);
  return engine;
}

/** Goes through one stretch; false where that was the last one, and its incidents are there. `now` in ms. */
export async function stepHistory(
  history: History,
  now: number,
  checkpointSamples = CHECKPOINT_SAMPLES,
): Promise<boolean> {
  const { engine, until } = history;
  const from = Math.floor((await wholeSince(history.position * 1_000, now)) / 1_000);
  const to = Math.min(until, from + history.span);
  if (from < to) {
    const read = await readSamples(from, to);
    const tick = engine.prepare({ seq: 0, from, to }, read, await vantageLabels());
    await setAside(to, await consumeTick({ engine, work: noWork() }, tick), now);
    history.sinceCheckpoint += read.length;
    if (read.length > SAMPLES_AT_ONCE) history.span = Math.max(SHORTEST_STRETCH, Math.floor(history.span / 2));
    else if (read.length < SAMPLES_AT_ONCE / 2) history.span = Math.min(LONGEST_STRETCH, history.span * 2);
  }
  history.position = Math.max(from, to);
  if (history.position >= until) {
    await finish(history, now);
    return false;
  }
  await checkpoint(history, checkpointSamples);
  return true;
}

async function setAside(to: number, raised: Raised, now: number): Promise<void> {
  const { closed, changes } = raised;
  if (raised.found.length + closed.length + changes.length === 0) return;
  const found = await described(raised.found, now);
  const stretch = { found, closed, changes } satisfies Stretch as unknown as Prisma.InputJsonObject;
  await getPrisma().detectorHistoryRaised.upsert({
    where: { to },
    create: { to, raised: stretch },
    update: { raised: stretch },
  });
}

async function described(found: Detection[], now: number): Promise<Detected[]> {
  const demo = found.length === 0 ? [] : await getPrisma().target.findMany({ where: { demo: true } });
  return await describeDetections(found, new Set(demo.map(({ id }) => id)), now);
}

async function checkpoint(history: History, samples: number): Promise<void> {
  const { engine, id, position, sinceCheckpoint } = history;
  const series = engine.seriesSince(0);
  if (sinceCheckpoint < Math.max(samples, CHECKPOINT_SAMPLES_PER_SERIES * series)) return;
  await store(engine, position);
  await getPrisma().detectorHistory.updateMany({ where: { id }, data: { position } });
  history.sinceCheckpoint = 0;
}

/** Makes incidents of all that was raised, as if it had been told in its time, and forgets the second detector. */
async function finish({ engine, id, from, until }: History, now: number): Promise<void> {
  const rows = await getPrisma().detectorHistoryRaised.findMany({ orderBy: { to: 'asc' } });
  const isOfThePresent = await presentFrom(until);
  const open = engine.open();
  // A spike that goes on is the present's; of any other the present saw nothing, so it was over.
  const last: Stretch = {
    found: [],
    changes: [],
    closed: open.map(({ quietSince, ...spike }) => ({
      ...spike,
      endedAt: quietSince ?? until,
      at: until,
      by: 'quiet',
    })),
  };
  const stretches = [...rows.map(({ raised }) => revived(raised)), last];
  const goesOn = new Set(
    open.map(
      ({ target, vantage, variant, metric, changeAt }) => `${target} ${vantage} ${variant ?? ''} ${metric} ${changeAt}`,
    ),
  );
  const within = { gte: new Date(from * 1_000), lt: new Date(until * 1_000) };
  const incidents = await getPrisma().$transaction(async (db) => {
    const rules = await rulesOf(db, 'detector');
    await lockInOrder(db, { openedAt: within });
    for (const { found, closed, changes } of stretches) {
      const own = found.filter((each) => !isOfThePresent(each, goesOn));
      const fresh = await storeDetections(db, own);
      if (fresh.length + closed.length + changes.length > 0)
        await recordDetections(db, fresh, rules, new Date(now), { closed, changes }, within);
    }
    await db.detectorHistory.deleteMany({ where: { id } });
    await db.detectorHistoryRaised.deleteMany();
    await db.detectorHistoryCheckpoint.deleteMany();
    return await db.incident.count({ where: { openedAt: within } });
  }, TRANSACTION);
  log.info({ from, until, incidents }, 'history was gone through');
}

/** As it was set aside: instants are texts there. */
function revived(raised: Prisma.JsonValue): Stretch {
  const { found, ...rest } = raised as unknown as Stretch;
  return {
    ...rest,
    found: found.map((each) => ({ ...each, at: new Date(each.at), changeAt: new Date(each.changeAt) })),
  };
}

/**
 * Says of a detection whether the present has told of it since `until`: the same lasting change, what was taken for a spike when that
 * began, or a spike that goes on (`goesOn` has those that history leaves open).
 */
async function presentFrom(until: number): Promise<(found: Detected, goesOn: ReadonlySet<string>) => boolean> {
  const rows = await getPrisma().detection.findMany({ where: { at: { gte: new Date(until * 1_000) } } });
  const told = Map.groupBy(rows, ({ variant, ...row }) =>
    cellId({ ...row, ...(variant === VARIANT_CODES.resumed && { variant: 'resumed' }) }),
  );
  return ({ kind, changeAt, cell }, goesOn) => {
    const same = told.get(cellId(cell)) ?? [];
    const isSameChange = (each: (typeof rows)[number]) =>
      Math.abs(each.changeAt.getTime() - changeAt.getTime()) <= repeatedShiftSeconds * 1_000;
    if (kind !== 'spike') return same.some((each) => each.kind === kind && isSameChange(each));
    const isOpen = goesOn.has(`${cellId(cell)} ${changeAt.getTime() / 1_000}`);
    const limit = (until + repeatedShiftSeconds) * 1_000;
    return same.some((each) =>
      each.kind === 'spike'
        ? isOpen && each.changeAt.getTime() <= limit
        : each.kind === 'regression' && isSameChange(each),
    );
  };
}
