import { z } from 'zod';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { countSamples } from './read-samples.ts';
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
  const halfHours = late ? Uint8Array.from(packLate(late)) : null;
  await db.$executeRaw`
    insert into detector_tick (seq, "from", "to", lines, count, samples, late)
    values (${seq}, ${from}, ${to}, ${JSON.stringify(series)}::jsonb, ${count}, ${samples}, ${halfHours})`;
}

/** The number of the last tick that was written, as far as log and checkpoints still say it; 0 where neither does. */
export async function newestSeq(db: Prisma.TransactionClient = getPrisma()): Promise<number> {
  const [row] = await db.$queryRaw<{ seq: bigint | null }[]>`
    select greatest((select max(seq) from detector_tick), (select max(seq) from detector_checkpoint)) as seq`;
  return Number(row?.seq ?? 0);
}

type StoredTick = {
  seq: string;
  from: number;
  to: number;
  lines: unknown;
  count: number;
  samples: Buffer;
  late: Buffer | null;
};

/** The next tick of the log; null at its end. */
export async function tickAfter(seq: number): Promise<Tick | null> {
  const { rows } = await getPool().query<StoredTick>(
    `select seq, "from", "to", lines, count, samples, late from detector_tick where seq > $1 order by seq limit 1`,
    [seq],
  );
  const [row] = rows;
  if (!row) return null;
  const { from, to, count, late } = row;
  const samples = unpackSamples(from, row.samples);
  const tick = { seq: Number(row.seq), from, to, series: StoredSeries.parse(row.lines), samples, count };
  return late ? { ...tick, late: unpackLate(late) } : tick;
}

/**
 * Deletes log and checkpoint, `seq` the newest (0: none): the detector begins without a state. Where there is a newer one, which is
 * another's, its log stays.
 */
export async function forgetAll(seq: number): Promise<void> {
  await getPool().query(
    `with older as (delete from detector_checkpoint where seq <= $1)
      delete from detector_tick where not exists (select from detector_checkpoint where seq > $1)`,
    [seq],
  );
}

/**
 * Cuts off what a checkpoint holds, but for the last quarter of an hour; how many results there are by now for what is cut
 * off that were not there when it was consumed (0 with `counting` off: what is long past does not count as late).
 */
export async function cutLog(upTo: number, position: number, { counting = true } = {}): Promise<number> {
  const old = 'seq <= $1 and "to" <= $2';
  const values = [upTo, position - LATE_COUNTED_SECONDS];
  const drop = async () => void (await getPool().query(`delete from detector_tick where ${old}`, values));
  if (!counting) {
    await drop();
    return 0;
  }
  const { rows } = await getPool().query<{ from: number | null; to: number; count: number }>(
    `select min("from") as "from", max("to") as "to", sum(count)::int as count from detector_tick where ${old}`,
    values,
  );
  const [consumed] = rows;
  if (!consumed || consumed.from === null) return 0;
  const late = (await countSamples(consumed.from, consumed.to)) - consumed.count;
  await drop();
  // Retention and deleted targets take results away as well.
  return Math.max(0, late);
}
