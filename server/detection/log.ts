import { z } from 'zod';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPrisma } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { countSamples } from './samples.ts';
import { packLate, packSamples, type Tick, unpackLate, unpackSamples } from './tick.ts';

/** A tick stays in the log for at least so long, so that results that came late for it can be counted. */
export const LATE_COUNTED_SECONDS = 900;

const text = z.string();
/** The series of a tick. */
const StoredSeries = z.array(
  z.object({
    target: text,
    vantage: text,
    country: text,
    region: text,
    carrier: text,
    variant: z.literal('resumed').exactOptional(),
  }),
);

/** Somebody else has gone on with the log: what this process knows is out of date. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Appends a tick. Throws Overtaken where it does not follow the last one. */
export async function appendTick(db: Prisma.TransactionClient, tick: Tick): Promise<void> {
  await lock(db, 'detector_tick');
  const last = await newestSeq(db);
  if (last !== tick.seq - 1) throw new Overtaken(`the log ends with ${last}, so tick ${tick.seq} does not follow`);
  const { seq, from, to, series, count, late } = tick;
  const samples = Uint8Array.from(packSamples(tick));
  const halfHours = late ? { late: Uint8Array.from(packLate(late)) } : {};
  await db.detectorTick.create({ data: { seq, from, to, lines: series, count, samples, ...halfHours } });
}

/** The number of the last tick that was written, as far as log and checkpoints still say it; 0 where neither does. */
export async function newestSeq(db: Prisma.TransactionClient = getPrisma()): Promise<number> {
  const [ticks, checkpoints] = [
    await db.detectorTick.aggregate({ _max: { seq: true } }),
    await db.detectorCheckpoint.aggregate({ _max: { seq: true } }),
  ];
  return Math.max(Number(ticks._max.seq ?? 0), Number(checkpoints._max.seq ?? 0));
}

/** The next tick of the log; null at its end. */
export async function tickAfter(seq: number): Promise<Tick | null> {
  const row = await getPrisma().detectorTick.findFirst({ where: { seq: { gt: seq } }, orderBy: { seq: 'asc' } });
  if (!row) return null;
  const { from, to, count, late } = row;
  const samples = unpackSamples(from, row.samples);
  const tick = { seq: Number(row.seq), from, to, series: StoredSeries.parse(row.lines), samples, count };
  return late ? { ...tick, late: unpackLate(late) } : tick;
}

/** Deletes the ticks after `seq`. */
export async function dropTicksAfter(seq: number): Promise<void> {
  await getPrisma().detectorTick.deleteMany({ where: { seq: { gt: seq } } });
}

/**
 * Cuts off what a checkpoint holds, but for the last quarter of an hour; how many results there are by now for what is cut
 * off that were not there when it was consumed (0 where nobody counts: what is long past comes late to nobody).
 */
export async function cutLog(upTo: number, position: number, { counting = true } = {}): Promise<number> {
  const old = { seq: { lte: upTo }, to: { lte: position - LATE_COUNTED_SECONDS } };
  if (!counting) {
    await getPrisma().detectorTick.deleteMany({ where: old });
    return 0;
  }
  const { _min, _max, _sum } = await getPrisma().detectorTick.aggregate({
    where: old,
    _min: { from: true },
    _max: { to: true },
    _sum: { count: true },
  });
  if (_min.from === null || _max.to === null) return 0;
  const late = (await countSamples(_min.from, _max.to)) - (_sum.count ?? 0);
  await getPrisma().detectorTick.deleteMany({ where: old });
  // Retention and deleted targets take results away as well.
  return Math.max(0, late);
}
