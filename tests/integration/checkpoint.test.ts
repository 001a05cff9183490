import { describe, expect, it } from 'vitest';
import { createDetector } from '#analysis/detection/detector.ts';
import { getPool } from '#server/database/database.ts';
import { loadCheckpoint, saveCheckpoint } from '#server/detection/checkpoint.ts';
import { isLong } from '../support/extent.ts';
import { prepareTestDatabase } from '../support/prepare.ts';

prepareTestDatabase();

/** A detector that knows so many series. */
function detectorOf(series: number) {
  const detector = createDetector();
  for (let n = 0; n < series; n++)
    detector.indexOf({ target: `t${n}`, vantage: 'v', country: 'CN', region: 'r', carrier: 'c' });
  return detector;
}

const partsOf = async () =>
  (await getPool().query('select seq::int, part from detector_checkpoint order by part')).rows;

describe('a checkpoint', () => {
  it('in several parts is read as it was, and takes the place of the one before', async () => {
    const detector = detectorOf(50);
    const state = () => [...detector.state()];
    await saveCheckpoint({ seq: 1, to: 100, state: detectorOf(3).state() });
    expect(await partsOf()).toEqual([{ seq: 1, part: 0 }]);
    const size = state().reduce((sum, { length }) => sum + length, 0);
    await saveCheckpoint({ seq: 2, to: 200, state: detector.state() }, Math.ceil(size / 7));
    const parts = await partsOf();
    expect(parts.length).toBeGreaterThanOrEqual(6);
    expect(parts).toEqual(parts.map((_, part) => ({ seq: 2, part })));
    const read = await loadCheckpoint();
    expect(read).toMatchObject({ seq: 2, to: 200 });
    expect([...(read?.state ?? [])]).toEqual(state());
  });

  it('lets the event loop turn while it is packed', async () => {
    let turns = 0;
    let saving = true;
    const turn = () => {
      turns += 1;
      if (saving) setImmediate(turn);
    };
    setImmediate(turn);
    const written: number[] = [];
    function* state() {
      for (const text of detectorOf(20).state()) {
        written.push(turns);
        yield text;
      }
    }
    await saveCheckpoint({ seq: 20, to: 300, state: state() }, 1);
    saving = false;
    expect(new Set(written).size).toBe(21);
  });

  it.runIf(isLong)('may be longer than any array of bytes that is packed at once', async () => {
    const [head, line] = [...detectorOf(1).state()] as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    const filler = new Uint8Array(1_000_000);
    const pieces = 600;
    function* state() {
      yield head;
      for (let n = 0; n < pieces; n++) yield filler;
      yield line;
    }
    expect(pieces * filler.length).toBeGreaterThan(536_870_888);
    await saveCheckpoint({ seq: 30, to: 300, state: state() });
    let count = 0;
    let last: string | Uint8Array = '';
    for (const piece of (await loadCheckpoint())?.state ?? []) {
      count += 1;
      last = piece;
    }
    expect({ count, last: Uint8Array.from(last as Uint8Array) }).toEqual({ count: 1 + pieces + 1, last: line });
  });

  const waitingForLocks = async () =>
    (
      await getPool().query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rows[0]?.n;
  const piecesOf = (state: Iterable<Uint8Array> | undefined) => Array.from(state ?? [], (piece) => Buffer.from(piece));

  it('is read when all of it is stored, and the one before until then', async () => {
    const [before, after] = [detectorOf(3), detectorOf(20)];
    await saveCheckpoint({ seq: 40, to: 400, state: before.state() });
    // Who stores the same part holds it up there.
    const holder = await getPool().connect();
    await holder.query('begin');
    await holder.query(`insert into detector_checkpoint (seq, part, "to", state) values (41, 10, 410, '')`);
    const saved = saveCheckpoint({ seq: 41, to: 410, state: after.state() }, 1);
    await expect.poll(waitingForLocks, { timeout: 20_000 }).toBe(1);
    const read = await loadCheckpoint();
    await holder.query('rollback');
    holder.release();
    await saved;
    expect(read?.seq).toBe(40);
    expect(piecesOf(read?.state)).toEqual(piecesOf(before.state()));
    expect(await loadCheckpoint()).toMatchObject({ seq: 41, to: 410 });
  });

  it('that fails in the middle leaves the one before', async () => {
    const [before, after] = [detectorOf(3), detectorOf(20)];
    await saveCheckpoint({ seq: 50, to: 500, state: before.state() });
    function* failing() {
      yield* Iterator.from(after.state()).take(3);
      throw new Error('in the middle');
    }
    await expect(saveCheckpoint({ seq: 51, to: 510, state: failing() }, 1)).rejects.toThrow('in the middle');
    const read = await loadCheckpoint();
    expect(read?.seq).toBe(50);
    expect(piecesOf(read?.state)).toEqual(piecesOf(before.state()));
  });

  it('of a process that another has overtaken leaves the other’s in its place', async () => {
    const [other, mine] = [detectorOf(4), detectorOf(3)];
    await saveCheckpoint({ seq: 61, to: 610, state: other.state() });
    await saveCheckpoint({ seq: 60, to: 600, state: mine.state() });
    const read = await loadCheckpoint();
    expect(read).toMatchObject({ seq: 61, to: 610 });
    expect(piecesOf(read?.state)).toEqual(piecesOf(other.state()));
  });
});
